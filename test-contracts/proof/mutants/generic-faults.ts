import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault, isFault } from '@pinfold/core';
import { type Call, isSignal } from './recorded-calls.ts';

/** A fault of any method. Called once for each port object; returns the broken method. */
export type GenericFault = (call: Call, emptyAnswer: unknown) => Call;

const withoutSignal = (inputs: readonly unknown[]): unknown[] => inputs.filter((input) => !isSignal(input));

/** Changes the answer if the method rejects with a fault. */
function onFault(answer: (fault: Fault, emptyAnswer: unknown) => unknown): GenericFault {
  return (call, emptyAnswer) =>
    async (...inputs) => {
      try {
        return await call(...inputs);
      } catch (error) {
        if (!isFault(error)) throw error;
        return answer(error, emptyAnswer);
      }
    };
}

/** Faults of methods that answer with a promise. */
export const GENERIC_FAULTS: Readonly<Record<string, GenericFault>> = {
  /** Does nothing, and answers as if it had. */
  idles: (_, emptyAnswer) => async () => emptyAnswer,
  /** Answers before it is done. */
  hurries:
    (call, emptyAnswer) =>
    async (...inputs) => {
      void turns(30).then(() => Promise.resolve(call(...inputs)).catch(() => undefined));
      return emptyAnswer;
    },
  /** Does everything twice, as a retry after a lost answer. */
  repeats:
    (call) =>
    async (...inputs) => {
      await call(...inputs);
      return await call(...inputs);
    },
  /** Each port object caches its answers. */
  caches: (call) => {
    const answers = new Map<string, unknown>();
    return async (...inputs) => {
      const question = JSON.stringify(withoutSignal(inputs));
      if (!answers.has(question)) answers.set(question, await call(...inputs));
      return answers.get(question);
    };
  },
  /** Concurrent calls share the answer of the first, even with other inputs. */
  shares: (call) => {
    let running: Promise<unknown> | undefined;
    return async (...inputs) => {
      running ??= nextTurn()
        .then(() => call(...inputs))
        .finally(() => {
          running = undefined;
        });
      return await running;
    };
  },
};

/** Faults of methods that reject with a fault. */
export const REJECTION_FAULTS: Readonly<Record<string, GenericFault>> = {
  /** Returns an empty answer if the backend does not answer. */
  coversUp: onFault((_, emptyAnswer) => emptyAnswer),
  /** Rejects with the cause of a fault. */
  isRaw: onFault(({ cause }) => {
    throw cause;
  }),
  /** Rejects without the cause. */
  isCurt: onFault(({ code, message }) => {
    throw new Fault(code, message);
  }),
  /** Rejects with another code. */
  misnames: onFault(({ code, message, cause }) => {
    const other = code === 'store_unavailable' ? 'storage_unavailable' : 'store_unavailable';
    throw new Fault(other, message, { cause });
  }),
};

/** Faults of methods that take a signal. */
export const SIGNAL_FAULTS: Readonly<Record<string, GenericFault>> = {
  /** Ignores its signal. */
  isDeaf:
    (call) =>
    (...inputs) =>
      call(...withoutSignal(inputs)),
  /** Rejects with a fault if it was aborted. */
  wrapsAborts:
    (call) =>
    async (...inputs) => {
      try {
        return await call(...inputs);
      } catch (cause) {
        throw inputs.find(isSignal)?.aborted ? new Fault('store_unavailable', 'aborted', { cause }) : cause;
      }
    },
  /** Leaves a listener on its signal. */
  listens:
    (call) =>
    (...inputs) => {
      inputs.find(isSignal)?.addEventListener('abort', () => undefined);
      return call(...inputs);
    },
};

/** Faults that a clause must notice in every method. Some callers cannot see the others. */
export const CERTAIN_FAULTS: readonly string[] = ['idles', 'hurries', 'isDeaf', 'wrapsAborts'];

export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await nextTurn();
}
