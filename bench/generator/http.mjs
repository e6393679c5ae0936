// A small HTTP/1.1 client over kept connections, one request at a time on each.
// Node's own client costs several times as much, and on a shared machine the generator must not be what is slow.
import net from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

export class Pool {
  constructor(url, most) {
    this.host = url.hostname;
    this.port = Number(url.port);
    this.most = most;
    this.idle = [];
    this.open = 0;
    this.waiting = [];
  }

  /** Sends one whole request as it stands; gives { status, head, body }. */
  ask(request) {
    return new Promise((answer, fail) => {
      this.waiting.push({ request, answer, fail, again: true });
      this.next();
    });
  }

  next() {
    while (this.waiting.length) {
      const line = this.idle.pop() ?? (this.open < this.most ? this.connect() : null);
      if (!line) return;
      line.job = this.waiting.shift();
      line.heard = null;
      line.socket.write(line.job.request);
    }
  }

  connect() {
    this.open += 1;
    const socket = net.connect({ host: this.host, port: this.port, noDelay: true });
    const line = { socket, job: null, heard: null };
    socket.on('data', (data) => this.hear(line, data));
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => this.lost(line));
    return line;
  }

  hear(line, data) {
    line.heard = line.heard ? Buffer.concat([line.heard, data]) : data;
    const answer = wholeAnswer(line.heard);
    if (!answer) return;
    const { job } = line;
    line.job = null;
    line.heard = null;
    if (/\r\nconnection: *close/i.test(answer.head)) line.socket.end();
    else this.idle.push(line);
    job?.answer(answer);
    this.next();
  }

  lost(line) {
    this.open -= 1;
    this.idle = this.idle.filter((each) => each !== line);
    const { job } = line;
    if (job?.again && !line.heard) {
      // A server may hang up on an idle connection just as we use it. Every tap has an id, so twice does no harm.
      job.again = false;
      this.waiting.unshift(job);
    } else {
      job?.fail(new Error('the connection was closed'));
    }
    this.next();
  }

  close() {
    for (const line of this.idle) line.socket.destroy();
  }
}

function wholeAnswer(heard) {
  const split = heard.indexOf(END_OF_HEAD);
  if (split < 0) return null;
  const head = heard.latin1Slice(0, split);
  const status = Number(head.slice(9, 12));
  const start = split + END_OF_HEAD.length;
  const end = start + bodyLength(head, status, heard, start);
  if (!(heard.length >= end)) return null; // also if the end is not known yet
  return { status, head, body: heard.latin1Slice(start, end) };
}

function bodyLength(head, status, heard, start) {
  if (status === 204 || status === 304) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (length) return Number(length[1]);
  const last = heard.indexOf('0\r\n\r\n', start);
  return last < 0 ? NaN : last + 5 - start;
}
