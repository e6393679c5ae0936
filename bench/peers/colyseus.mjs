// The simplest counter room on Colyseus. By default it gathers changes for 50 ms; here each tap is sent at once,
// which is the fairer comparison for how long a tap takes.
import { createServer } from 'node:http';
import { Room, Server } from '@colyseus/core';
import { schema, t } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';

const Player = schema({ name: t.string(), score: t.number() }, 'Player');
const State = schema({ taps: t.number(), players: t.array(Player) }, 'State');

class CounterRoom extends Room {
  maxClients = 8;

  patchRate = 1000;

  onCreate() {
    this.state = new State();
    this.state.taps = 0;
    for (const n of [1, 2, 3, 4]) {
      const player = new Player();
      player.name = `P${n}`;
      player.score = 0;
      this.state.players.push(player);
    }
    this.onMessage('tap', (client, { p, d }) => {
      this.state.taps += 1;
      this.state.players[p].score += d;
      this.broadcastPatch();
    });
  }
}

const server = new Server({ transport: new WebSocketTransport({ server: createServer() }), greet: false });
server.define('counter', CounterRoom);
await server.listen(Number(process.argv[2]), '127.0.0.1');
