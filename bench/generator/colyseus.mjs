// Phones of the Colyseus peer over a bare WebSocket: its SDK's garbage collection would count against its server.
import { createRequire } from 'node:module';
import { Pool } from './http.mjs';

const WebSocket = createRequire(`${process.env.BENCH_PEERS}/package.json`)('ws');

// The first byte of a message says what it is.
const JOINED = 10;
const MESSAGE = 13;
const WHOLE_STATE = 14;
const PATCH = 15;
const FIRST_FIELD = 0x80; // "field 0 is now": the number of taps, which is the first field of the peer's state

export default class Colyseus {
  constructor({ base, hears, drops }) {
    this.url = new URL(base);
    this.hears = hears;
    this.drops = drops;
    this.pool = new Pool(this.url, 40);
    this.rooms = [];
    this.sockets = [];
  }

  async openTable(number) {
    this.sockets[number] = []; // the first phone makes the room
  }

  async join(number, phone) {
    const way = phone ? `joinById/${this.rooms[number]}` : 'create/counter';
    const place = await this.reserve(`/matchmake/${way}`);
    this.rooms[number] = place.roomId;
    const path = `${place.processId}/${place.roomId}?sessionId=${place.sessionId}`;
    const socket = new WebSocket(`ws://${this.url.host}/${path}`, { perMessageDeflate: false });
    this.sockets[number][phone] = socket;
    await new Promise((joined, fail) => {
      socket.on('error', fail);
      socket.on('close', () => this.drops(number, phone));
      socket.on('message', (message) => {
        if (message[0] === JOINED) socket.send(Buffer.from([JOINED]));
        if (message[0] === WHOLE_STATE) joined();
        if (message[0] !== WHOLE_STATE && message[0] !== PATCH) return;
        if (message[1] === FIRST_FIELD) this.hears(number, phone, numberAt(message, 2));
        else if (message[0] === WHOLE_STATE) this.hears(number, phone, 0);
      });
    });
  }

  async reserve(path) {
    const lines = [`POST ${path} HTTP/1.1`, `Host: ${this.url.host}`];
    lines.push('Content-Type: application/json', 'Content-Length: 2');
    const answer = await this.pool.ask(`${lines.join('\r\n')}\r\n\r\n{}`);
    const json = answer.body.slice(answer.body.indexOf('{'), answer.body.lastIndexOf('}') + 1);
    const place = JSON.parse(json);
    if (!place.roomId) throw new Error(`no place in a room: ${json.slice(0, 200)}`);
    return place;
  }

  tap(number, phone) {
    this.sockets[number][phone].send(TAPS[phone]);
  }

  close() {
    this.drops = () => {};
    for (const socket of this.sockets.flat()) socket.terminate();
    this.pool.close();
  }
}

/** "tap" with { p: phone, d: 1 }, in MessagePack. */
const tapOf = (phone) =>
  Buffer.from([MESSAGE, 0xa3, ...Buffer.from('tap'), 0x82, 0xa1, 0x70, phone, 0xa1, 0x64, 1]);
const TAPS = [0, 1, 2, 3].map(tapOf);

/** A number as Colyseus's schema writes it. */
function numberAt(bytes, at) {
  const kind = bytes[at];
  if (kind < 0x80) return kind;
  if (kind === 0xcc) return bytes[at + 1];
  if (kind === 0xcd) return bytes.readUInt16LE(at + 1);
  if (kind === 0xce) return bytes.readUInt32LE(at + 1);
  throw new Error(`a number of kind ${kind} was not expected`);
}
