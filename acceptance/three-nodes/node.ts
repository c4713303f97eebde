// One node of several, the reference server in a process of its own, with a clock that its test moves on and
// passwords that cost little.

import { type ApiKeyId, type Cause, type Duration, type Instant, type Mode, OPERATOR } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { aroundCalls, createManualClock } from '@pinfold/test-contracts/fixtures';
import { ContainerModule } from 'inversify';
import { createApp, readSettings } from 'pinfold';
import { takeDown } from '../crashes/take-down.ts';
import { endWithStarter } from '../service/end-with-starter.ts';
import { testModule } from '../service/test-module.ts';

/** The orders for a node at its start; its settings are in the environment. */
export interface NodeOrders {
  readonly now: Instant;
  /** The call in which it hangs: committing a publication, or comparing a password. */
  readonly hangs?: 'commit' | 'verify';
}

/** A later order, which the node answers with `done`. */
export type NodeTask =
  | { readonly kind: 'advance'; readonly length: Duration }
  | { readonly kind: 'revoke'; readonly key: ApiKeyId }
  | { readonly kind: 'take down'; readonly id: string }
  | { readonly kind: 'block'; readonly account: string; readonly sites: 'keep' | 'hide' }
  | { readonly kind: 'unblock'; readonly account: string }
  | { readonly kind: 'change mode'; readonly mode: Mode };

/** A message of a node. */
export type NodeMessage =
  | { readonly kind: 'listening'; readonly url: string; readonly port: number }
  | { readonly kind: 'hanging' }
  | { readonly kind: 'done' };

const orders = JSON.parse(process.argv[2] ?? '') as NodeOrders;
const clock = createManualClock(orders.now);
const send = (message: NodeMessage): void => {
  process.send?.(message);
};

function hanging<Port extends object>(port: Port): Port {
  return aroundCalls(port, (name, call) => {
    if (name !== orders.hangs) return call();
    send({ kind: 'hanging' });
    return new Promise(() => {});
  });
}

const hangs = new ContainerModule(({ onActivation }) => {
  onActivation(tokens.passwords, (_, passwords) => hanging(passwords));
  onActivation(tokens.roles, (_, roles) => hanging(roles));
});

const modules = [testModule(clock), hangs];
const app = await createApp(readSettings(process.env), { modules, log: () => {} });
const { addresses, port } = await app.listen();

const BY_OPERATOR: Cause = { actor: { kind: 'operator', id: null }, asOperator: true };

async function carryOut(task: NodeTask): Promise<unknown> {
  const administration = await app.container.getAsync(tokens.administration);
  switch (task.kind) {
    case 'advance':
      return clock.advance(task.length);
    case 'revoke':
      return (await app.container.getAsync(tokens.manageKeys)).revoke({ id: task.key, by: OPERATOR });
    case 'take down':
      return takeDown({ administration }, task.id);
    case 'block': {
      const { account, sites } = task;
      return administration.blockAccount(account, { reason: 'Phishing', sites }, BY_OPERATOR);
    }
    case 'unblock':
      return administration.unblockAccount(task.account, BY_OPERATOR);
    case 'change mode':
      return administration.changeService(task.mode, BY_OPERATOR);
    default:
      return task satisfies never;
  }
}

process.on('message', (task: NodeTask) => {
  void carryOut(task).then(() => send({ kind: 'done' }));
});
endWithStarter();
send({ kind: 'listening', url: addresses.publicUrl, port });
