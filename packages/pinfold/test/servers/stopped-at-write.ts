// Loaded before a program: at the step STOPPED_AT of writing a folder, kills the program, or lets the system refuse that
// step as a full disk does. Steps are each folder and file that is made, each piece that is written, each flush and each
// close. The signal comes right after a folder or file was made, and in the middle of the other steps.
import fs, { type NoParamCallback } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

const { STOPPED_AT = '', STOPPED_IN = '', STOPPED_BY = '' } = process.env;
const isSignal = STOPPED_BY === 'SIGKILL' || STOPPED_BY === 'SIGTERM';
const { appendFile, close, fsync, mkdirSync, openSync } = fs;
const { open } = files;
const descriptors = new Set<unknown>();
let steps = 0;

const isOurs = (path: unknown): boolean => String(path).startsWith(STOPPED_IN);

function isStopped(): boolean {
  steps += 1;
  return steps === Number(STOPPED_AT);
}

const refusal = (): Error =>
  Object.assign(new Error(`${STOPPED_BY}: write`), { code: STOPPED_BY, syscall: 'write' });

function making<Made>(make: () => Made): Made {
  if (!isStopped()) return make();
  if (!isSignal) throw refusal();
  const made = make();
  // The program handles it in a later turn of the event loop.
  process.kill(process.pid, STOPPED_BY);
  return made;
}

function step(next: () => void, done: NoParamCallback): void {
  if (!isStopped()) next();
  else if (!isSignal) done(refusal());
  else {
    process.kill(process.pid, STOPPED_BY);
    setTimeout(() => {}, 60_000);
  }
}

fs.mkdirSync = ((path: string, options: object) => {
  if (!isOurs(path)) return mkdirSync(path, options);
  return making(() => mkdirSync(path, options));
}) as typeof mkdirSync;

fs.openSync = (path, flags, mode) => {
  if (!isOurs(path)) return openSync(path, flags, mode);
  const descriptor = making(() => openSync(path, flags, mode));
  descriptors.add(descriptor);
  return descriptor;
};

fs.appendFile = ((file: number, data: Uint8Array, done: NoParamCallback) => {
  if (!descriptors.has(file)) return appendFile(file, data, done);
  const half = data.length >> 1;
  appendFile(file, data.subarray(0, half), (error) => {
    if (error !== null) return done(error);
    step(() => appendFile(file, data.subarray(half), done), done);
  });
}) as typeof appendFile;

fs.fsync = ((file: number, done: NoParamCallback) => {
  if (!descriptors.has(file)) return fsync(file, done);
  step(() => fsync(file, done), done);
}) as typeof fsync;

fs.close = ((file: number, done: NoParamCallback) => {
  if (!descriptors.delete(file)) return close(file, done);
  step(() => close(file, done), done);
}) as typeof close;

// Used for the flush of a folder.
files.open = async (...opened) => {
  const handle = await open(...opened);
  const flush = handle.sync.bind(handle);
  if (isOurs(opened[0]))
    handle.sync = async () => {
      await promisify((done: NoParamCallback) => step(() => done(null), done))();
      await flush();
    };
  return handle;
};
syncBuiltinESMExports();
