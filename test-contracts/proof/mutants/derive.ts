import type { FaultCode } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { changed, distortionsOf, fieldsOf, type Shape } from './distortions.ts';
import { type Call, GENERIC_FAULTS, SIGNAL_FAULTS } from './generic-faults.ts';
import type { Mutant, Mutate, Spoiling } from './mutant.ts';

/**
 * The clauses that catch derived mutants, by their names without that of the suite: one of them fails with each
 * mutant.
 *
 * `untested` has the mutants that no clause must catch: no caller can see the difference, no value of the suites shows
 * it, or the port leaves it open. It names them, or the beginnings of names, between spaces; `a.{b,c}` stands for
 * `a.b a.c`, and `*` for all. Of two that match the longer one counts. `tested` has the exceptions.
 */
export interface Caught {
  readonly clauses: string | readonly string[];
  readonly untested?: string | readonly string[];
  readonly tested?: string | readonly string[];
}

/** A method of a port, for deriving mutants. */
export interface MethodShape extends Caught {
  /** Its inputs in order, by any names. */
  readonly takes?: Readonly<Record<string, Shape | 'signal'>>;
  readonly answers?: Shape;
  /**
   * An answer, for mutants that answer without asking; absent, an empty one of the type of `answers`. Null for a method
   * that answers without a promise.
   */
  readonly early?: { readonly value: unknown } | null;
}

type MethodOf<Port> = {
  [Name in keyof Port]: Port[Name] extends (...inputs: never[]) => unknown ? Name : never;
}[keyof Port] &
  string;

export interface PortShape<Port> {
  /** The code of its faults. Default `store_unavailable`. */
  readonly code?: FaultCode;
  /** Whether all methods answer without a promise. */
  readonly isSynchronous?: true;
  readonly methods: { readonly [Name in MethodOf<Port>]: MethodShape };
}

/**
 * Mutants that exist only where a table has them under `tested`. Calls may be made again, so that most callers cannot
 * see one that runs twice; and few clauses have a text with a zero byte, or a thousand of something.
 */
const RARE = ['repeats', 'terminated', 'capped', 'list-capped'];

interface Derived<Port> {
  readonly name: string;
  readonly spoiling: Spoiling<Port>;
}

export function derived<Port extends object, S>(
  shape: PortShape<Port>,
  mutant: Mutate<Port, S>,
): readonly Mutant<S>[] {
  const { code = 'store_unavailable', isSynchronous } = shape;
  return (Object.entries(shape.methods) as [string, MethodShape][]).flatMap(([name, method]) => {
    const broken = isSynchronous ? { ...method, early: null } : method;
    return chosen(method, mutantsOf<Port>(name, broken, code), name).map(({ name: fault, spoiling }) =>
      mutant(patterns(method.clauses), `${name}: ${fault}`, spoiling),
    );
  });
}

/** The mutants that a clause must catch. */
function chosen<Port>({ untested, tested }: Caught, all: readonly Derived<Port>[], of: string) {
  const [left, picked] = [patterns(untested), patterns(tested)];
  const idle = [...left, ...picked].filter((pattern) => !all.some(({ name }) => begins(name, pattern)));
  if (idle.length > 0) throw new Error(`${of}: there is no mutant ${idle.join(', ')}`);
  return all.filter(({ name }) => {
    if (RARE.includes(name.split('.').at(-1) ?? '')) return picked.includes(name);
    const longest = (all: readonly string[]): number =>
      Math.max(-1, ...all.filter((pattern) => begins(name, pattern)).map(({ length }) => length));
    return longest(left) <= longest(picked);
  });
}

function patterns(names: string | readonly string[] = []): readonly string[] {
  return [names].flat().flatMap((some) => some.split(' ').flatMap(expanded));
}

/** Expands `a.{b,c}` to `a.b` and `a.c`. */
function expanded(name: string): readonly string[] {
  const [, start, ends] = /^(.*)\{(.*)\}$/.exec(name) ?? [];
  return ends === undefined ? [name] : ends.split(',').map((end) => `${start}${end}`);
}

function begins(name: string, start: string): boolean {
  return start === '*' || name === start || name.startsWith(`${start}.`);
}

function mutantsOf<Port>(method: string, shape: MethodShape, code: FaultCode): readonly Derived<Port>[] {
  const { takes = {}, answers, early = { value: emptyOf(answers) } } = shape;
  const broken = { early: early?.value, code };
  const faults = {
    ...(early === null ? {} : GENERIC_FAULTS),
    ...('signal' in takes ? SIGNAL_FAULTS : {}),
  };
  const generic = Object.entries(faults).map(([name, fault]) => ({
    name,
    spoiling: around<Port>(method, () => (call) => fault(call, broken)),
  }));
  const inputs = Object.entries(takes).flatMap(([input, of], position) =>
    of === 'signal'
      ? []
      : distortedIn<Port>(
          ['takes', input],
          of,
          method,
          (change) =>
            (call) =>
            (...given) =>
              call(...given.map((value, at) => (at === position ? change(value) : value))),
        ),
  );
  const outputs =
    answers === undefined
      ? []
      : distortedIn<Port>(
          ['answers'],
          answers,
          method,
          (change) =>
            (call) =>
            (...given) =>
              thenChanged(call(...given), change),
        );
  return [...generic, ...inputs, ...outputs];
}

function emptyOf(answers: Shape | undefined): unknown {
  if (Array.isArray(answers)) return [];
  if (answers === 'count') return 0;
  return answers === 'flag' ? false : undefined;
}

type Change = (value: unknown) => unknown;

function distortedIn<Port>(
  start: readonly string[],
  shape: Shape,
  method: string,
  into: (change: Change) => (call: Call) => Call,
): readonly Derived<Port>[] {
  return fieldsOf(shape).flatMap((field) =>
    Object.entries(distortionsOf(field.kind)).map(([way, create]) => ({
      name: [...start, ...field.path, field.kind === 'list' ? `list-${way}` : way].join('.'),
      spoiling: around<Port>(method, () => {
        const distort = create();
        return into((value) => changed(value, field, distort));
      }),
    })),
  );
}

function thenChanged(answer: unknown, change: Change): unknown {
  if (answer instanceof Promise) return answer.then(change);
  if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer) {
    return eachChanged(answer as AsyncIterable<unknown>, change);
  }
  return change(answer);
}

async function* eachChanged(answers: AsyncIterable<unknown>, change: Change): AsyncGenerator<unknown, void> {
  for await (const answer of answers) yield change(answer);
}

/** No clause makes as many calls of one method. */
const MAX_CALLS = 10_000;

/** Throws in a caller that never ends, such as a walk over pages whose cursor does not move. */
function bounded(port: object, method: string): Call {
  const sound = Reflect.get(port, method) as Call;
  let calls = 0;
  return (...inputs) => {
    calls += 1;
    if (calls > MAX_CALLS) throw new Error(`${method} was called ${calls} times`);
    return Reflect.apply(sound, port, inputs);
  };
}

/** Breaks one method. `open` is called for each subject. */
function around<Port>(method: string, open: () => (call: Call) => Call): Spoiling<Port> {
  return () => {
    const breaking = open();
    return (port) => {
      return { [method]: breaking(bounded(port as object, method)) } as Partial<Port>;
    };
  };
}

/** Creates mutants of one port of a subject with several ports. */
export function part<Ports extends object, Name extends keyof Ports, S>(
  mutant: Mutate<Ports, S>,
  name: Name,
): (
  breaks: string | readonly string[],
  how: string,
  spoiling: () => (port: Ports[Name], ports: Ports) => Partial<Ports[Name]>,
) => Mutant<S> {
  return (breaks, how, spoiling) =>
    mutant(breaks, how, () => {
      const methods = spoiling();
      return (ports) =>
        ({ [name]: replacing(ports[name] as object, methods(ports[name], ports)) }) as Partial<Ports>;
    });
}
