import { CommandFailure } from './failures.ts';

/** Works with files or pipes; an error of the system becomes a failure with one line. */
export async function reportingSystemErrors<Result>(
  task: () => Promise<Result>,
  code: 'unreadable' | 'cannot_write' = 'unreadable',
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) throw error;
    if (error.code !== 'EPIPE') throw new CommandFailure(error.message, { cause: error, code });
    throw new CommandFailure('standard output was closed', { cause: error, code: 'cannot_write' });
  }
}
