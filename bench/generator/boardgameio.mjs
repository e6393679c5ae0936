// Phones of the boardgame.io peer, over its own socket.io protocol; without its client, which would only cost time.
import { createRequire } from 'node:module';

const { io } = createRequire(`${process.env.BENCH_PEERS}/package.json`)('socket.io-client');

export default class BoardgameIo {
  constructor({ base, hears, drops }) {
    this.base = base;
    this.hears = hears;
    this.drops = drops;
    this.sockets = [];
  }

  async openTable(number) {
    this.sockets[number] = []; // the first phone that syncs makes the match
  }

  join(number, phone) {
    const options = { transports: ['websocket'], forceNew: true, reconnection: false };
    const socket = io(`${this.base}/counter`, options);
    this.sockets[number][phone] = socket;
    const match = `m${number}`;
    return new Promise((joined, fail) => {
      socket.on('connect', () => socket.emit('sync', match, String(phone), undefined, 4));
      socket.on('connect_error', fail);
      socket.on('sync', (id, { state }) => {
        this.see(socket, number, phone, state);
        joined();
      });
      socket.on('update', (id, state) => this.see(socket, number, phone, state));
      socket.on('disconnect', () => this.drops(number, phone));
    });
  }

  see(socket, number, phone, state) {
    socket.stateId = state._stateID;
    this.hears(number, phone, state.G.taps);
  }

  tap(number, phone) {
    const socket = this.sockets[number][phone];
    const player = String(phone);
    const payload = { type: 'tap', args: [phone, 1], playerID: player, credentials: undefined };
    socket.emit('update', { type: 'MAKE_MOVE', payload }, socket.stateId, `m${number}`, player);
  }

  close() {
    this.drops = () => {};
    for (const socket of this.sockets.flat()) socket.disconnect();
  }
}
