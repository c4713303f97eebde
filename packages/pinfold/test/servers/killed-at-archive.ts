// Loaded before a program: kills it in the midst of the next file once a folder has so many archives. From outside that
// may come after its end, where the machine has much to do.
import { globSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { KILLED_WITH = '', KILLED_IN = '' } = process.env;
const { open, rename } = files;
let isTime = false;

files.rename = async (from, to) => {
  await rename(from, to);
  isTime = globSync('*/*/*-*', { cwd: KILLED_IN }).length >= Number(KILLED_WITH);
};
files.open = async (path, flags, mode) => {
  const file = await open(path, flags, mode);
  if (!isTime || flags !== 'wx') return file;
  await file.write('a part');
  process.kill(process.pid, 'SIGKILL');
  return file;
};
syncBuiltinESMExports();
