import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { byName, type DatabaseSchema, type Program } from '@pinfold/core/records';
import { SqliteSteps } from '../database/sqlite-steps.ts';
import { Reserve } from '../engine/ballast.ts';
import { LastingFile } from '../engine/lasting-file.ts';
import type { Prepare } from '../engine/sqlite-file.ts';
import { commitTogether } from './commit-together.ts';
import type { FromThread, ToThread, WriteReply } from './messages.ts';
import { toPlain } from './plain-errors.ts';
import { WriteQueue } from './write-queue.ts';

/** The whole of a thread that runs the programs of a schema in the file that its `workerData` names. */
export function writeInThread({ programs }: Pick<DatabaseSchema, 'programs'>): void {
  const port = parentPort;
  if (port === null) throw new TypeError('this file is run as a worker thread');
  const named = byName(programs);
  const steps = new SqliteSteps();
  const path: string = workerData;
  const file = new LastingFile(path, new Reserve(path));
  let replies: WriteReply[] = [];
  let isClosing = false;
  let isRunning = false;

  const send = (message: FromThread): void => port.postMessage(message);
  const take = (message: ToThread): void => {
    if (message === 'close') {
      isClosing = true;
      return;
    }
    const { id, program, args } = message;
    const known = named.get(program) as Program<unknown, unknown>;
    const run = (prepare: Prepare): unknown => steps.run(known, args, prepare);
    queue.add({ usesReserve: known.usesReserve(args), run }, (outcome) => {
      replies.push('error' in outcome ? { id, error: toPlain(outcome.error) } : { id, ...outcome });
    });
  };
  const queue = new WriteQueue(
    (works) => commitTogether(file, works),
    () => {
      if (replies.length > 0) send(replies);
      replies = [];
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
        take(next.message);
    },
  );
  const run = async (): Promise<void> => {
    isRunning = true;
    await queue.run();
    isRunning = false;
    if (!isClosing) return;
    file.close();
    port.close();
  };
  port.on('message', (message: ToThread) => {
    take(message);
    if (!isRunning) void run();
  });
  send('ready');
}
