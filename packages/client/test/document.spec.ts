import { readFile } from 'node:fs/promises';
import { type ClientOptions, PinfoldClient } from '@pinfold/client';
import { openApiDocument } from '@pinfold/http-express';
import { expect } from 'chai';
import { ARCHIVE, failure, ID, KEY } from './answers.ts';
import { WIRE_TABLE, wireTable } from './wire-table.ts';

const SERVER = 'https://share.example';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

interface Content {
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

const { paths } = openApiDocument({ publicUrl: SERVER }) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

/** The operations for accounts by method and path. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([member]) => path.startsWith('/api/') && member !== 'parameters')
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  ),
);

/** Calls a method of a client whose requests get the answers for their operations. */
type Call = (answer: (operation: string) => Response) => Promise<unknown>;

/** Arguments by method; other methods of the client get an id and a change, and those of names a name and an id. */
const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  publish: [ARCHIVE],
  check: [ARCHIVE],
  list: [],
  listPage: [],
  events: [],
  history: [],
  limits: [],
};

/** Every method of the client, and of its names. */
const METHODS: ReadonlyMap<string, Call> = new Map([
  ...methodsOf('', (client) => client, [ID, { title: null }]),
  ...methodsOf('names.', ({ names }) => names, ['docs', ID]),
]);

function methodsOf(
  prefix: string,
  part: (client: PinfoldClient) => object,
  usual: readonly unknown[],
): readonly (readonly [string, Call])[] {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(
    Object.getPrototypeOf(part(new PinfoldClient({ url: SERVER, key: KEY }))) as object,
  );
  return Object.entries(methods).map(([name, { value: method }]) => [
    prefix + name,
    async (answer) => {
      const fetch: ClientOptions['fetch'] = async (input, { method: sent = 'GET' } = {}) => {
        const path = new URL(String(input)).pathname.replace(ID, '{id}').replace('docs', '{name}');
        return answer(`${sent} ${path}`);
      };
      const client = new PinfoldClient({ url: SERVER, key: KEY, fetch, retryFor: 0 });
      const called = method.apply(part(client), ARGUMENTS[name] ?? usual);
      return Symbol.asyncIterator in called ? (await called.next()).value : await called;
    },
  ]);
}

/** The successful answers of an operation: its examples, or the first bytes of a ZIP. */
function answersOf(operation: string): readonly Response[] {
  const responses = Object.entries(OPERATIONS.get(operation)?.responses ?? {});
  return responses
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {} }]) => {
      const [[type, { examples }] = ['', {} as Content]] = Object.entries(content);
      const bodies =
        examples === undefined
          ? [type === '' ? null : ARCHIVE]
          : Object.values(examples).map(({ value }) => JSON.stringify(value));
      const init = { status: Number(status), headers: { 'content-type': type } };
      return bodies.map((body) => new Response(body, init));
    });
}

describe('the objects of the client', () => {
  it('are those of the API document', async () => {
    expect(await readFile(WIRE_TABLE, 'utf8'), 'run `pnpm --filter @pinfold/client wire`').to.equal(
      wireTable(),
    );
  });
});

describe('the methods of the client', () => {
  it('call every operation of the API document that is for accounts', async () => {
    const called = new Set<string>();
    for (const call of METHODS.values()) {
      const answered = call((operation) => {
        called.add(operation);
        return new Response(null, { status: 404 });
      });
      await failure(answered);
    }
    expect([...called]).to.have.members([...OPERATIONS.keys()]);
  });

  it('take an answer of their operation from the API document, and none of another form', async () => {
    for (const [name, call] of METHODS) {
      let count = 1;
      let taken = 0;
      for (let n = 0; n < count; n += 1) {
        const result = call((operation) => {
          const answers = answersOf(operation);
          count = answers.length;
          return answers[n] ?? expect.fail(`${operation} has no answer`);
        });
        taken += await result.then(
          () => 1,
          () => 0,
        );
      }
      expect(taken, name).to.be.greaterThan(0);
      const headers = { 'content-type': 'application/json' };
      const wrong = call(() => new Response('[]', { headers }));
      expect((await failure(wrong)).code, name).to.equal('invalid_answer');
    }
  });
});
