import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { byName, type DatabaseSchema, type Program } from '@pinfold/core/records';
import { SqlCompiler } from '@pinfold/core/sql';
import { runSteps, SQLITE } from '../database/sqlite-steps.ts';
import { DiskReserve, ReopeningFile } from '../engine/reopening-file.ts';
import type { SqliteFile } from '../engine/sqlite-file.ts';
import { type PlainError, toPlain } from './plain-errors.ts';
import { commitTogether, WriteQueue } from './write-queue.ts';

/** The outcome of a program, by the id of its request. */
type WriteReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: PlainError };

/** A message to the thread: a program to run, with cloneable arguments, or `close`, after which the thread exits. */
export type ToThread = { readonly id: number; readonly program: string; readonly args: unknown } | 'close';

/** A message from the thread: `ready` once it is loaded, then the replies of each commit. */
export type FromThread = 'ready' | readonly WriteReply[];

/** The main function of the thread: runs the programs of a schema in the file of its `workerData`. */
export function writeInThread({ programs }: Pick<DatabaseSchema, 'programs'>): void {
  const port = parentPort;
  if (port === null) throw new TypeError('this file is run as a worker thread');
  const named = byName(programs);
  const compiler = new SqlCompiler(SQLITE);
  const path: string = workerData;
  const database = new ReopeningFile(path, new DiskReserve(path), { mustExist: true });
  let replies: WriteReply[] = [];
  let isClosing = false;
  let isRunning = false;

  const send = (message: FromThread): void => port.postMessage(message);
  const receive = (message: ToThread): void => {
    if (message === 'close') {
      isClosing = true;
      return;
    }
    const { id, program, args } = message;
    const known = named.get(program) as Program<unknown, unknown>;
    const run = (file: SqliteFile): unknown => runSteps(compiler, known, args, file);
    queue.add({ usesReserve: known.usesReserve(args), run }, (outcome) => {
      replies.push('error' in outcome ? { id, error: toPlain(outcome.error) } : { id, ...outcome });
    });
  };
  const queue = new WriteQueue(
    (works) => commitTogether(database, works),
    () => {
      if (replies.length > 0) send(replies);
      replies = [];
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
        receive(next.message);
    },
  );
  const run = async (): Promise<void> => {
    isRunning = true;
    await queue.run();
    isRunning = false;
    if (!isClosing) return;
    database.close();
    port.close();
  };
  port.on('message', (message: ToThread) => {
    receive(message);
    if (!isRunning) void run();
  });
  send('ready');
}
