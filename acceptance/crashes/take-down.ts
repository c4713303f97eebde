import type { ServiceNode } from 'pinfold-proof/service/open-node.ts';

/** Takes a role down as the operator's command does. */
export async function takeDown(
  { administration }: Pick<ServiceNode, 'administration'>,
  id: string,
): Promise<void> {
  const cause = { actor: { kind: 'operator', id: null }, asOperator: true } as const;
  await administration.takeDown({ id, reason: 'Phishing', purge: true, copies: true, cause });
}
