import { CommandFailure } from './failures.ts';

/** Does something with files or pipes that were named; what the system refuses is said in one line. */
export async function saidByTheSystem<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) throw error;
    const said = error.code === 'EPIPE' ? 'nobody reads standard output any more' : error.message;
    throw new CommandFailure(said, { cause: error });
  }
}
