import type { ServiceNode } from 'pinfold-proof/service/open-node.ts';

export const ACCOUNT = 'owner';
const CAUSE = { actor: { kind: 'operator', id: null }, asOperator: true } as const;

/** Erases an account as the operator's command does. */
export async function erase({ administration }: Pick<ServiceNode, 'administration'>): Promise<void> {
  await administration.eraseAccount(ACCOUNT, CAUSE);
  await administration.finishErasure(ACCOUNT);
}
