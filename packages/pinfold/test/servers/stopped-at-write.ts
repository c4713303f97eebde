// Loaded before a program: at the step STOPPED_AT of writing a folder, kills the program, or lets the system refuse that
// step as a full disk does. Steps are each folder and file that is made, each piece that is written, and each flush.
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { STOPPED_AT = '', STOPPED_IN = '', STOPPED_BY = '' } = process.env;
const { open, mkdir } = files;
let steps = 0;

async function step(): Promise<void> {
  steps += 1;
  if (steps !== Number(STOPPED_AT)) return;
  if (STOPPED_BY !== 'SIGKILL' && STOPPED_BY !== 'SIGTERM')
    throw Object.assign(new Error(`${STOPPED_BY}: write`), { code: STOPPED_BY, syscall: 'write' });
  process.kill(process.pid, STOPPED_BY);
  // The signal is heard in a later turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

const isOurs = (path: unknown): boolean => String(path).startsWith(STOPPED_IN);

files.mkdir = (async (path: string, options: object) => {
  if (isOurs(path)) await step();
  return await mkdir(path, options);
}) as typeof mkdir;

files.open = async (path, flags, mode) => {
  if (isOurs(path)) await step();
  const handle = await open(path, flags, mode);
  return isOurs(path) ? counting(handle) : handle;
};

function counting(handle: FileHandle): FileHandle {
  const { appendFile, sync } = handle;
  return Object.assign(handle, {
    appendFile: async (data: Uint8Array) => {
      // Half of it is written before.
      await appendFile.call(handle, data.subarray(0, data.length >> 1));
      await step();
      await appendFile.call(handle, data.subarray(data.length >> 1));
    },
    sync: async () => {
      await step();
      await sync.call(handle);
    },
  });
}
syncBuiltinESMExports();
