import { type Day, days, hours, OPERATOR, type Password } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { OWNER, type Service } from './open-service.ts';

/** Texts that pages must show unchanged, without running them or breaking the layout. */
export const HOSTILE: readonly string[] = [
  `<script>window.harmed = 1</script>`,
  `"><img src=x onerror="window.harmed=1">`,
  `' autofocus onfocus='window.harmed=1`,
  '</title></textarea><svg onload=window.harmed=1>',
  `${'x'.repeat(200)}`,
  '\u202egnp.exe \u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
];

/** One publication of each kind, and the pages of all, for their owner and for those who administer. */
export async function createStock(
  service: Service,
): Promise<Readonly<Record<'own' | 'administration', readonly string[]>>> {
  const { useCases, clock, keys, pairings } = service;
  const expired = await service.publish('Expired');
  clock.advance(days(6));
  const soon = await service.publish(null);
  clock.advance(days(6.5) as never);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a/${n}.txt`, 'x'.repeat(n)]));
  const plain = await service.publish('Plain', { 'index.html': 'x', ...many });
  const pinned = await service.publish('Pinned');
  await useCases.pin({ by: OPERATOR, id: pinned.id });
  const locked = await service.publish('Locked');
  const password = 'long enough' as Password;
  await useCases.update({ by: OWNER, id: locked.id }, { type: 'set_password', password });
  const today = dayOf(clock.now());
  const viewed = Array.from({ length: 9 }, (_, n) => {
    return { role: plain.id, day: (today - n) as Day, views: 10 ** n, refusedPasswords: 0 };
  });
  const tried = { role: locked.id, day: today, views: 3, refusedPasswords: 1_200 };
  await service.stores.views.add([...viewed, tried]);
  const stopped = await service.publish('Stopped');
  await useCases.stop({ by: OPERATOR, id: stopped.id });
  for (const title of HOSTILE)
    await service.publish(title, { 'index.html': 'x', [`${title.replaceAll(/[/:\\]/g, '')}.txt`]: 'x' });
  await keys.create({ by: OPERATOR, account: OWNER, label: HOSTILE[0] ?? '' });
  const revoked = await keys.create({ by: OPERATOR, account: OWNER, label: '' });
  await keys.revoke({ id: revoked.key.id, by: OPERATOR });
  clock.advance(hours(1));
  const details = [expired, soon, plain, pinned, locked, stopped].map(({ id }) => `/publications/${id}`);
  await useCases.names.set({ by: OWNER, name: `${'long-'.repeat(12)}one`, pin: plain.id });
  await useCases.names.set({ by: OWNER, name: 'docs', pin: locked.id });
  const { hash } = new NodeSessionSecrets().mint();
  await pairings.register(hash);
  const own = [
    '/',
    '/?state=deleted',
    '/?q=nothing-like-it',
    ...details,
    `/publications/${plain.id}/stop`,
    '/history',
    `/history?pin=${locked.id}`,
    '/history?pin=nonsense',
    '/keys',
    '/names',
    '/connect',
    `/connect?request=${hash}&label=Laptop`,
    '/nowhere',
  ];
  const parts = ['', `/accounts/${OWNER}`, '/publications', ...details, '/takedowns', '/history', '/service'];
  return { own, administration: parts.map((part) => `/administration${part}`) };
}
