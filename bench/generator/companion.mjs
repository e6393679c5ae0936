// Phones of the companion: each has its own cookie and its own stream, and taps "+1" for its seat at an any-game table.
import crypto from 'node:crypto';
import net from 'node:net';
import { Pool } from './http.mjs';

const COLOURS = ['coral', 'sky', 'moss', 'gold'];
const SYMBOLS = ['sun', 'moon', 'star', 'key'];
const PATIENCE = 30_000; // ms until a stream must have begun
const CONNECTIONS = 64; // for all that is not a stream
const ID = Buffer.from('\nid: ');
const END = Buffer.from('\n\n');

const newTap = () => crypto.randomBytes(18).toString('base64url');

export default class Companion {
  constructor({ base, hears, drops }) {
    this.url = new URL(base);
    this.hears = hears;
    this.drops = drops;
    this.pool = new Pool(this.url, CONNECTIONS);
    this.tables = [];
    this.streams = [];
    this.bytes = 0;
  }

  get(path, cookie = '') {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${this.url.host}`];
    if (cookie) lines.push(`Cookie: ${cookie}`);
    return this.pool.ask(`${lines.join('\r\n')}\r\n\r\n`);
  }

  async post(path, fields, cookie = '', expected = 303) {
    const body = new URLSearchParams(fields).toString();
    const lines = [`POST ${path} HTTP/1.1`, `Host: ${this.url.host}`, `Origin: ${this.url.origin}`];
    lines.push('Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`);
    if (cookie) lines.push(`Cookie: ${cookie}`);
    const answer = await this.pool.ask(`${lines.join('\r\n')}\r\n\r\n${body}`);
    if (answer.status !== expected) {
      throw new Error(`${path}: ${answer.status} ${answer.body.slice(0, 300).replace(/\s+/g, ' ')}`);
    }
    return answer;
  }

  async openTable(number, phones) {
    const fields = [['tap', newTap()], ['starter', 'k0'], ['mine', 'k0']];
    for (let seat = 0; seat < phones; seat += 1) {
      fields.push(['name', `P${seat + 1}`], ['colour', COLOURS[seat]], ['symbol', SYMBOLS[seat]]);
      fields.push(['key', `k${seat}`]);
    }
    const opened = await this.post('/open/any-game', fields);
    const code = /\/s\/(\w{6})/.exec(opened.head)[1];
    this.tables[number] = { code, secret: '', cookies: [cookieOf(opened)] };
  }

  async join(number, phone) {
    const table = this.tables[number];
    if (phone > 0) {
      table.secret ||= await this.scan(table);
      const seat = [['tap', newTap()], ['seats', phone + 1]]; // what one tap on a token at the door sends
      table.cookies[phone] = cookieOf(await this.post(`/j/${table.code}/${table.secret}`, seat));
    }
    await this.listen(number, phone, 'table', (version) => this.hears(number, phone, version));
  }

  /** What the QR code on the host's screen says. */
  async scan(table) {
    const { body } = await this.get(`/s/${table.code}/people`, table.cookies[0]);
    return new RegExp(`/j/${table.code}/([\\w-]+)`).exec(body)[1];
  }

  /** Resolves with the first version heard; `hears` gets every later one. */
  listen(number, phone, page, hears) {
    const { code, cookies } = this.tables[number];
    const head = [`GET /s/${code}/live/${page} HTTP/1.1`, `Host: ${this.url.host}`];
    head.push(`Cookie: ${cookies[phone]}`, 'Accept: text/event-stream');
    return new Promise((begun, fail) => {
      const socket = net.connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
      const patience = setTimeout(() => socket.destroy(new Error('a stream did not begin')), PATIENCE);
      let live = false;
      let rest = null;
      this.streams.push(socket);
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.on('error', fail);
      socket.on('close', () => {
        clearTimeout(patience);
        fail(new Error('a stream was closed before it began'));
        if (live) this.drops(number, phone);
      });
      socket.on('data', (data) => {
        if (!live && !rest && data.latin1Slice(9, 12) !== '200') {
          fail(new Error(`a stream was answered ${data.latin1Slice(9, 12)}`));
          return;
        }
        this.bytes += data.length;
        rest = rest ? Buffer.concat([rest, data]) : data;
        const end = rest.lastIndexOf(END);
        if (end < 0) return;
        const version = newestVersion(rest, end);
        rest = end + 4 >= rest.length ? null : rest.subarray(end + 2); // at most the end of a chunk follows
        if (version < 0) return;
        hears(version);
        if (live) return;
        live = true;
        clearTimeout(patience);
        begun(version);
      });
    });
  }

  async tap(number, phone) {
    const { code, cookies } = this.tables[number];
    const fields = [['tap', newTap()], ['seat', phone + 1], ['counter', '1'], ['by', '1'], ['round', '1']];
    await this.post(`/s/${code}/do/count`, fields, cookies[phone], 201);
  }

  /** One more stream for a phone that is there already, as a second tab would have. */
  async listenMore(number, phone, page) {
    await this.listen(number, phone, page, () => {});
  }

  close() {
    this.drops = () => {};
    for (const socket of this.streams) socket.destroy();
    this.pool.close();
  }
}

const cookieOf = (answer) => /set-cookie: *(phone=[0-9a-f]+)/i.exec(answer.head)[1];

/** `id: <base>-<version>` is a line of its own, and no line of a drawing begins so; a beat has none. */
function newestVersion(heard, end) {
  const at = heard.lastIndexOf(ID, end);
  if (at < 0) return -1;
  const id = heard.latin1Slice(at + ID.length, heard.indexOf(0x0a, at + 1));
  return Number(id.split('-')[1]);
}
