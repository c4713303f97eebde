import type { Contract, Subject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { ofAnswers, ofInputs } from './distortions.ts';
import { GENERIC_FAULTS, type GenericFault, REJECTION_FAULTS, SIGNAL_FAULTS } from './generic-faults.ts';
import { type Around, type Call, type RecordedCalls, wrapped } from './recorded-calls.ts';

/** Opens the subjects of one clause, which share the state outside of the returned function. */
export type Opening<S> = () => () => Promise<S>;

/** An implementation with one fault, written by hand because no fault of a single method is like it. */
export interface Story<S> {
  /** The clause that must fail with it, without the suite. */
  readonly breaks: string;
  /** The fault in a few words. */
  readonly how: string;
  readonly open: Opening<S>;
}

/** A contract, an implementation that fulfills it, and stories of implementations that do not. */
export interface PortTable<Port, S extends Subject<Port>> {
  readonly contract: Contract<Port, S>;
  readonly open: () => Promise<S>;
  readonly stories?: readonly Story<S>[];
  /** The store that the contract is about, if the port of its subjects has several. */
  readonly part?: keyof Port & string;
  /** Methods of the implementation that the port does not have. */
  readonly furtherMethods?: readonly string[];
  /** Whether a clause must notice each field of an answer that is lost: of ports that `npm run mutation` does not reach. */
  readonly checksFields?: true;
}

/**
 * Breaks methods of a port. Called once for each subject, whose port and peers share its state; the
 * function that it returns is called once for each of them.
 */
export type Spoiling<Port> = () => (port: Port) => Partial<Port>;

/** Creates a story about the subjects of `open`: their ports, peers and unreachable ports have the same fault. */
export type StoryOf<S extends Subject<object>> = (
  breaks: string,
  how: string,
  spoiling: Spoiling<S['port']>,
) => Story<S>;

export function storyOf<S extends Subject<object>>(open: () => Promise<S>): StoryOf<S> {
  return (breaks, how, spoiling) => ({
    breaks,
    how,
    open: () => async () => {
      const methods = spoiling();
      return onPorts(await open(), (port) => replacing(port, methods(port)));
    },
  });
}

/** A fault that is derived from what a clause calls. */
export interface Derived<S> {
  readonly method: string;
  readonly fault: string;
  readonly open: Opening<S>;
}

/** A mutant for each fault that the methods that a clause calls can have. */
export function derived<S extends Subject<object>>(
  open: () => Promise<S>,
  record: ReadonlyMap<string, RecordedCalls>,
): readonly Derived<S>[] {
  return [...record].flatMap(([method, calls]) => {
    const emptyAnswer = emptyOf(calls.first[0]);
    const faults = [
      ...Object.entries({
        ...(calls.isAsync ? GENERIC_FAULTS : {}),
        ...(calls.hasFault ? REJECTION_FAULTS : {}),
        ...(calls.takesSignal ? SIGNAL_FAULTS : {}),
      }),
      ...[...ofAnswers(calls.answerFields.values()), ...ofInputs(calls.inputFields.values())].map(
        ({ name, fault }) => [name, fault] as const,
      ),
    ];
    return faults.map(([fault, breaking]) => ({
      method,
      fault,
      open: () => async () => onPorts(await open(), (port) => broken(port, method, breaking, emptyAnswer)),
    }));
  });
}

/** An answer of a method that does nothing. */
function emptyOf(answer: unknown): unknown {
  if (Array.isArray(answer)) return [];
  if (typeof answer === 'number') return 0;
  return typeof answer === 'boolean' ? false : answer;
}

/** No clause makes as many calls of one method. */
const MAX_CALLS = 10_000;

/**
 * Breaks one method of a port. Too many calls throw in a caller that never ends, such as a walk over pages whose cursor
 * does not move.
 */
function broken<Port extends object>(
  port: Port,
  method: string,
  fault: GenericFault,
  emptyAnswer: unknown,
): Port {
  let breaking: Call | undefined;
  let calls = 0;
  const around: Around = (name, call, inputs) => {
    if (name !== method) return call(...inputs);
    calls += 1;
    if (calls > MAX_CALLS) throw new Error(`${method} was called ${calls} times`);
    breaking ??= fault(call, emptyAnswer);
    return breaking(...inputs);
  };
  return wrapped(port, around);
}

/** Changes all ports of a subject. */
export function onPorts<S extends Subject<object>>(subject: S, change: (port: S['port']) => S['port']): S {
  const { unreachable } = subject as { readonly unreachable?: () => Promise<S['port']> };
  return {
    ...subject,
    port: change(subject.port),
    peer: async () => change(await subject.peer()),
    ...(unreachable === undefined ? {} : { unreachable: async () => change(await unreachable()) }),
  };
}
