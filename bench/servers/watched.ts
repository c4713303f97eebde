// Loaded before a server, so that it tells what only it can know: what it holds, what it has cost, and for how long its
// event loop was silent.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** How often a free event loop reports itself, in milliseconds. */
const OFTEN = 2;

/** The longest time between two turns of the event loop, and the part of it in which this thread had a core. */
class Silence {
  #longest = 0;
  #atWork = 0;
  #turn = performance.now();
  #worked = worked();
  readonly #timer = setInterval(() => this.#take(), OFTEN).unref();

  end(): readonly [longest: number, atWork: number] {
    clearInterval(this.#timer);
    return [this.#longest, this.#atWork];
  }

  #take(): void {
    const turn = performance.now();
    const now = worked();
    this.#longest = Math.max(this.#longest, turn - this.#turn);
    this.#atWork = Math.max(this.#atWork, now - this.#worked);
    this.#turn = turn;
    this.#worked = now;
  }
}

/** Milliseconds in which this thread had a core. */
function worked(): number {
  return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'utf8'), 10) / 1e6;
}

if (isMainThread && process.send !== undefined) {
  let silence: Silence | undefined;
  const answers: Readonly<Record<string, () => unknown>> = {
    'bytes held': () => {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    'seconds worked': () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    listen: () => {
      silence = new Silence();
      return true;
    },
    silence: () => silence?.end(),
  };
  process.on('message', (question) => process.send?.(answers[String(question)]?.()));
  // A failed bench leaves nothing behind.
  process.on('disconnect', () => process.exit(1));
  process.channel?.unref();
}
