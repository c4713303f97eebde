import { setImmediate as nextTurn } from 'node:timers/promises';
import { Fault, type FaultCode, isFault } from '@pinfold/core';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';

/** The methods of a port that answer with a promise. */
type Method<Port> = {
  [Name in keyof Port]: Port[Name] extends (...inputs: never[]) => Promise<unknown> ? Name : never;
}[keyof Port] &
  string;

type Inputs<Port, Name extends keyof Port> = Port[Name] extends (...inputs: infer I) => Promise<unknown>
  ? I
  : never;

type Answer<Port, Name extends keyof Port> = Port[Name] extends (...inputs: never[]) => Promise<infer A>
  ? A
  : never;

/** Ways in which a port may break its sentences: by what they do, and then by how. */
export type Sabotages<Port> = Readonly<Record<string, Spoiling<Port>>>;

/** Ways that are the same for methods of every port. */
export interface Ways<Port extends object> {
  /** Does something else than the sound one. */
  does<Name extends Method<Port>>(
    name: Name,
    instead: (store: Port, ...inputs: Inputs<Port, Name>) => Promise<Answer<Port, Name>>,
  ): Spoiling<Port>;
  /** Answers otherwise than the sound one. */
  answers<Name extends Method<Port>>(
    name: Name,
    change: (answer: Answer<Port, Name>, ...inputs: Inputs<Port, Name>) => Answer<Port, Name>,
  ): Spoiling<Port>;
  /** Asks the sound one something else. */
  asks<Name extends Method<Port>>(
    name: Name,
    change: (...inputs: Inputs<Port, Name>) => readonly unknown[],
  ): Spoiling<Port>;
  /** Each handle keeps its answers for whoever asks the same again. */
  keeps<Name extends Method<Port>>(name: Name): Spoiling<Port>;
  /** Answers before it is done. */
  hurries<Name extends Method<Port>>(name: Name, answer: Answer<Port, Name>): Spoiling<Port>;
  /** Does not look at its signal. */
  isDeafIn(name: Method<Port>): Spoiling<Port>;
  /** Tells an abort as a fault. */
  wrapsAbortsIn(name: Method<Port>, code: FaultCode): Spoiling<Port>;
  /** Goes on listening to its signal. */
  listensIn(name: Method<Port>): Spoiling<Port>;
  /** Answers something where nothing answers. */
  coversUp<Name extends Method<Port>>(name: Name, answer: Answer<Port, Name>): Spoiling<Port>;
  /** Lets what caused a fault out as it is. */
  isRawIn(name: Method<Port>): Spoiling<Port>;
  /** Does not say what caused a fault. */
  isCurtIn(name: Method<Port>): Spoiling<Port>;
  /** Has a fault of another code. */
  misnames(name: Method<Port>, code: FaultCode): Spoiling<Port>;
}

type Call = (...inputs: unknown[]) => Promise<unknown>;

export function waysOf<Port extends object>(): Ways<Port> {
  const around =
    (name: string, change: (call: Call, store: Port) => Call): Spoiling<Port> =>
    () =>
    (store) => {
      const sound = Reflect.get(store, name) as Call;
      const call: Call = (...inputs) => Reflect.apply(sound, store, inputs);
      return { [name]: change(call, store) } as Partial<Port>;
    };
  const onFault = (name: string, instead: (fault: Fault) => unknown): Spoiling<Port> =>
    around(
      name,
      (call) =>
        (...inputs) =>
          call(...inputs).catch((error: unknown) => {
            if (!isFault(error)) throw error;
            return instead(error);
          }),
    );
  return {
    does: (name, instead) =>
      around(
        name,
        (_, store) =>
          (...inputs) =>
            instead(store, ...(inputs as never)),
      ),
    answers: (name, change) =>
      around(
        name,
        (call) =>
          async (...inputs) =>
            change((await call(...inputs)) as never, ...(inputs as never)),
      ),
    asks: (name, change) =>
      around(
        name,
        (call) =>
          async (...inputs) =>
            call(...change(...(inputs as never))),
      ),
    keeps: (name) =>
      around(name, (call) => {
        const kept = new Map<string, unknown>();
        return async (...inputs) => {
          const asked = JSON.stringify(inputs.filter((input) => !(input instanceof AbortSignal)));
          if (!kept.has(asked)) kept.set(asked, await call(...inputs));
          return kept.get(asked);
        };
      }),
    hurries: (name, answer) =>
      around(name, (call) => async (...inputs) => {
        void turns(30).then(() => call(...inputs).catch(() => undefined));
        return answer;
      }),
    isDeafIn: (name) =>
      around(
        name,
        (call) =>
          (...inputs) =>
            call(...inputs.filter((input) => !(input instanceof AbortSignal))),
      ),
    wrapsAbortsIn: (name, code) =>
      around(
        name,
        (call) =>
          (...inputs) =>
            call(...inputs).catch((cause: unknown) => {
              const signal = inputs.find((input) => input instanceof AbortSignal);
              throw signal?.aborted ? new Fault(code, 'aborted', { cause }) : cause;
            }),
      ),
    listensIn: (name) =>
      around(name, (call) => (...inputs) => {
        const signal = inputs.find((input) => input instanceof AbortSignal);
        signal?.addEventListener('abort', () => undefined);
        return call(...inputs);
      }),
    coversUp: (name, answer) => onFault(name, () => answer),
    isRawIn: (name) =>
      onFault(name, (fault) => {
        throw fault.cause;
      }),
    isCurtIn: (name) =>
      onFault(name, ({ code, message }) => {
        throw new Fault(code, message);
      }),
    misnames: (name, code) =>
      onFault(name, ({ message, cause }) => {
        throw new Fault(code, message, { cause });
      }),
  };
}

/** The same methods, for which callers may change what they gave and what they were answered. */
export function copying<Methods extends object>(methods: Methods): Methods {
  const copyOf = (held: unknown): unknown => (held instanceof AbortSignal ? held : structuredClone(held));
  const copied = Object.entries(methods).map(([name, method]) => [
    name,
    async (...inputs: unknown[]) => copyOf(await Reflect.apply(method, methods, inputs.map(copyOf))),
  ]);
  return Object.fromEntries(copied);
}

export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await nextTurn();
}
