import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { PostgresClient, PostgresPool } from '../src/engine/postgres-connection.ts';
import { keepsPreparedStatements } from '../src/examine-postgres.ts';

interface Query {
  readonly name?: string | undefined;
  readonly text: string;
}

/** A server connection with its prepared statements. */
interface Backend {
  readonly statements: Set<string>;
  owner: object | undefined;
}

/** A pool behind a pooler with a number of connections, which a client has for a transaction or for its lifetime. */
function poolBehind(count: number, mode: 'session' | 'transaction'): PostgresPool {
  const backends: readonly Backend[] = Array.from({ length: count }, () => ({
    statements: new Set<string>(),
    owner: undefined,
  }));
  const freed: (() => void)[] = [];
  const take = async (client: object): Promise<Backend> => {
    for (;;) {
      const found = backends.find(({ owner }) => owner === client) ?? backends.find(({ owner }) => !owner);
      if (found !== undefined) {
        found.owner = client;
        return found;
      }
      await new Promise<void>((resolve) => freed.push(resolve));
    }
  };
  const connect = (): PostgresClient => {
    const known = new Set<string>();
    let inTransaction = false;
    const client: PostgresClient = {
      query: async ({ name, text }: Query) => {
        const backend = await take(client);
        if (text === 'BEGIN') inTransaction = true;
        if (text === 'ROLLBACK') inTransaction = false;
        const fails = name !== undefined && known.has(name) && !backend.statements.has(name);
        if (name !== undefined) {
          known.add(name);
          if (!fails) backend.statements.add(name);
        }
        if (mode === 'transaction' && !inTransaction) {
          backend.owner = undefined;
          for (const resolve of freed.splice(0)) resolve();
        }
        if (fails) throw Object.assign(new Error('it does not exist'), { code: '26000', severity: 'ERROR' });
        return { rows: [], rowCount: 0 };
      },
      release: () => undefined,
      on: () => undefined,
    };
    return client;
  };
  return { connect: async () => connect(), on: () => undefined, off: () => undefined };
}

describe('a prepared statement', () => {
  it('stays with a connection to a server, and with a session of a pooler', async () => {
    expect(await keepsPreparedStatements(poolBehind(2, 'session'))).to.equal(true);
  });

  it('is lost behind a pooler that gives each transaction another connection', async () => {
    expect(await keepsPreparedStatements(poolBehind(2, 'transaction'))).to.equal(false);
  });

  it('is not looked for if only one connection is free, which is released', async () => {
    const { connect, ...pool } = poolBehind(1, 'session');
    const refused = new Error('too many connections');
    const released: (boolean | undefined)[] = [];
    const connecting = [
      async () => ({ ...(await connect()), release: (destroy?: boolean) => void released.push(destroy) }),
      () => Promise.reject(refused),
    ];
    const full = { ...pool, connect: () => connecting.shift()?.() ?? connect() };
    expect(await rejectionOf(keepsPreparedStatements(full))).to.equal(refused);
    expect(released).to.deep.equal([true]);
  });

  it('stays with a pooler of one connection, for which each transaction waits', async () => {
    expect(await keepsPreparedStatements(poolBehind(1, 'transaction'))).to.equal(true);
  });
});
