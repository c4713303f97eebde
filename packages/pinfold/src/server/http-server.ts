import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { type Duration, seconds } from '@pinfold/core';
import { codeOf } from '@pinfold/core/internal';
import { drainAndClose, loopTurns, outgoingBytes } from '@pinfold/http/internal';
import { SystemClock } from '@pinfold/platform-node';
import { SettingsError } from '../settings/settings-error.ts';
import { type Answers, answerUnread } from './client-error.ts';
import { ConnectionPlaces, computeMaxConnections } from './connection-places.ts';
import { hasKnownParser, ParseThrottle } from './parse-throttle.ts';

// Importing node:http would load Node's fetch, which the server does not use: 5 MiB of memory, and time at each start.
const { createServer } = process.getBuiltinModule('node:http');

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The time for the headers of a request: more than any honest client needs, and short for slow attacks. */
const HEADERS_TIMEOUT = 20_000;

/** The time for a whole request. The API and the screen limit uploads to 15 minutes; this limits all other requests. */
const REQUEST_TIMEOUT = 20 * 60_000;

const LARGEST_HEAD = 65_536;

/**
 * Milliseconds between two checks for idle connections. More than this many idle checks in a row close a connection, after
 * 75 to 85 seconds. Most proxies close theirs after 60, so they close first, and never both sides at once.
 */
const IDLE_INTERVAL = 5_000;
const IDLE_CHECKS = 15;

/** How long idle connections stay open while stopping, in milliseconds: a request may already be on its way. */
const LINGER = 500;

/** How long the server reads the rest of a request's body after the answer. */
const REST_TIMEOUT: Duration = seconds(30);

/** A `node:http` server that can be stopped without losing a request. */
export class HttpServer {
  readonly #server: Server;
  /** The answers by connection, so that one `close` listener serves all requests of a connection. */
  readonly #answers: Map<Socket, Answers> = new Map();
  readonly #places: ConnectionPlaces = new ConnectionPlaces((socket) => this.#answers.get(socket));
  /** Absent if this Node has another HTTP parser. */
  readonly #throttle: ParseThrottle | undefined = hasKnownParser() ? new ParseThrottle() : undefined;
  readonly #restTimeout: Duration;
  readonly #idleInterval: number;
  #handler: RequestHandler | undefined;
  #waiting: (() => void)[] = [];
  #draining = false;
  #stopping = false;

  /** Only tests set the times, because they need shorter ones. */
  constructor({
    restTimeout = REST_TIMEOUT,
    idleInterval = IDLE_INTERVAL,
  }: { readonly restTimeout?: Duration; readonly idleInterval?: number } = {}) {
    this.#restTimeout = restTimeout;
    this.#idleInterval = idleInterval;
    this.#server = createServer({
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      // Node would set a timer at each answer and clear it at the next request: a twelfth of the time of a small view.
      keepAliveTimeout: 0,
      maxHeaderSize: LARGEST_HEAD,
      // A GET has no body, and no handler here waits for the end of one.
      optimizeEmptyRequests: true,
    });
    // A client may close its side after the request and still read (RFC 9293, section 3.6); Node's types leave it out.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on('clientError', (error, socket: Socket) =>
      answerUnread(error, socket, this.#answers.get(socket)),
    );
    // Node would close the connection without an answer.
    this.#server.on('connect', (_request, tunnel) => {
      const socket = tunnel as Socket;
      answerUnread(new Error('no proxy answers here'), socket, this.#answers.get(socket));
    });
    this.#server.on('connection', (socket) => {
      // Reading the address now makes Node cache it; it is not available after the connection closes.
      void socket.remoteAddress;
      socket.once('close', () => this.#answers.delete(socket));
      this.#places.take(socket);
      loopTurns.clientConnected();
      this.#throttle?.opened(socket);
    });
  }

  /** Whether requests that a client sends before an earlier answer stay unread. */
  get leavesUnread(): boolean {
    return this.#throttle !== undefined;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /**
   * Starts listening; requests wait until {@link answerWith} is called.
   *
   * @throws SettingsError if the port or address cannot be used.
   */
  async listen(port: number, host: string): Promise<AddressInfo> {
    this.#server.on('request', (request, response) => this.#receive(request, response));
    this.#server.on('checkContinue', (request, response) => {
      continueWhenRead(request, response);
      this.#receive(request, response);
    });
    try {
      await once(this.#server.listen(port, host), 'listening');
    } catch (error) {
      throw explainListenError(error, port);
    }
    const idle = setInterval(() => this.#closeIdle(), this.#idleInterval).unref();
    this.#server.once('close', () => clearInterval(idle));
    return this.#server.address() as AddressInfo;
  }

  answerWith(handler: RequestHandler): void {
    this.#places.max = computeMaxConnections(outgoingBytes.memory);
    this.#server.maxConnections = this.#places.max;
    // Large answers take at most half of the places, so that pages stay available.
    outgoingBytes.maxAnswers = Math.floor(this.#places.max / 2);
    this.#handler = handler;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  /** Closes each connection with its next answer, so that few are left when `stop` closes them. */
  drain(): void {
    this.#draining = true;
  }

  /**
   * Accepts no more connections, closes each one after its running answers, and resolves when all are closed. When
   * the signal aborts, closes the rest at once.
   */
  async stop(signal: AbortSignal): Promise<void> {
    if (this.#stopping || !this.#server.listening) return;
    this.#stopping = true;
    this.#draining = true;
    for (const { newest } of this.#answers.values()) newest.shouldKeepAlive = false;
    await readAll();
    const { promise, resolve } = Promise.withResolvers<void>();
    // The `close` of node:http would also close connections on which a request is arriving.
    // Bun's server does not extend node:net's.
    const methods: NetServer =
      (this.#server as object) instanceof NetServer ? NetServer.prototype : this.#server;
    methods.close.call(this.#server, () => resolve());
    const sweep = setInterval(() => void readAll().then(() => this.#closeUnused()), LINGER);
    const cutOff = (): void => this.#server.closeAllConnections();
    signal.addEventListener('abort', cutOff, { once: true });
    if (signal.aborted) cutOff();
    await promise;
    clearInterval(sweep);
    signal.removeEventListener('abort', cutOff);
  }

  /**
   * Closes idle connections while stopping. Waits until all answers are sent, because Node counts a connection as
   * idle when its answer has ended, even if most of it, or a further answer, has yet to be sent.
   */
  #closeUnused(): void {
    for (const { newest } of this.#answers.values()) if (!newest.writableFinished) return;
    this.#server.closeIdleConnections();
  }

  #closeIdle(): void {
    for (const [socket, answers] of this.#answers) {
      const { bytesRead } = socket;
      answers.silentChecks = bytesRead === answers.bytesRead ? answers.silentChecks + 1 : 0;
      const isIdle = answers.newest.writableFinished && answers.silentChecks > 0;
      answers.idleChecks = isIdle ? answers.idleChecks + 1 : 0;
      answers.bytesRead = bytesRead;
      if (answers.idleChecks > IDLE_CHECKS) socket.destroy();
    }
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (this.#draining) response.shouldKeepAlive = false;
    this.#throttle?.parsed({ request, response }, this.#places);
    this.#track(request, response);
    const handler = this.#handler;
    if (handler !== undefined) handler(request, response);
    else this.#waiting.push(() => this.#handler?.(request, response));
  }

  #track(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const known = this.#answers.get(socket);
    const answers = known ?? {
      newest: response,
      current: response,
      bytesRead: 0,
      silentChecks: 0,
      idleChecks: 0,
    };
    if (known === undefined) this.#answers.set(socket, answers);
    else answers.newest = response;
    // Node assigns the socket once all earlier answers are sent. Hundreds may wait; until then they cost almost nothing.
    if (response.socket !== null) this.#start(request, response, answers);
    else response.once('socket', () => this.#start(request, response, answers));
  }

  #start(request: IncomingMessage, response: ServerResponse, answers: Answers): void {
    answers.current = response;
    if (!hasBody(request)) return;
    // Limits how long the rest of a body may arrive after an early answer.
    const rest = { clock: new SystemClock(), time: this.#restTimeout };
    response.prependOnceListener('finish', () => drainAndClose(request, rest));
  }
}

/**
 * Resolves when Node has read the connections and requests that have arrived. Closing earlier would drop them unread,
 * and a proxy does not retry a POST.
 */
async function readAll(): Promise<void> {
  // Two turns: the first callback runs in the current turn of the event loop, after its reads.
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Sends `100 Continue` when the body is first read, so never for a refused request (RFC 9110, section 10.1.1). */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const onListener = (event: string | symbol): void => {
    if (event !== 'data' && event !== 'readable') return;
    request.off('newListener', onListener);
    if (!response.headersSent) response.writeContinue();
  };
  request.on('newListener', onListener);
}

function explainListenError(error: unknown, port: number): unknown {
  const texts: Readonly<Record<string, readonly [option: string, expectation: string]>> = {
    EADDRINUSE: ['port', `must be a free port: another process listens on ${port}`],
    EACCES: ['port', `must be a port that this user may listen on, unlike ${port}`],
    EADDRNOTAVAIL: ['host', 'names an address that this machine does not have'],
    ENOTFOUND: ['host', 'names a host that has no address'],
    EAI_AGAIN: ['host', 'names a host that has no address'],
  };
  const text = texts[String(codeOf(error))];
  return text === undefined ? error : new SettingsError(...text, { cause: error });
}
