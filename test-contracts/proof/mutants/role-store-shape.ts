import type { RoleStore } from '@pinfold/core';
import type { PortShape } from './derive.ts';
import {
  CLEANUP,
  CLEANUP_COUNT,
  COMMIT,
  COMPARISON,
  CREDENTIAL,
  EVENTS,
  LEASE,
  RESERVATION,
  ROLE,
  ROLE_QUERY,
  TASK,
} from './records.ts';

export const roleStoreShape: PortShape<RoleStore> = {
  suite: 'role-store',
  code: 'store_unavailable',
  methods: {
    reserve: {
      takes: { request: RESERVATION },
      answers: {
        kind: 'choice',
        lease: LEASE,
        until: 'instant',
        role: 'uuid',
        warnings: ['opaque'],
        retryAt: 'instant',
      },
      early: { value: { kind: 'mismatch' } },
      caught: {
        unreachable: '*',
        'reserve-complete': 'answers',
        'reserve-quota': 'answers.lease takes.request takes.request.account.stuck',
        'reserve-free': [
          'answers.lease.account.cut answers.lease.key.cut takes.request.{account,key}',
          'takes.request.token.ended',
        ],
        'reserve-rate': 'answers.retryAt takes.request.limits.publications takes.request.now',
        'reserve-lapsed': 'answers.until repeats takes.request.until',
        'reserve-costless':
          'hurries idles takes.request.account.{lost,raised} takes.request.key.{lost,raised,stuck}',
        'reserve-mismatch': 'takes.request.fingerprint',
        'reserve-in-progress': 'answers.until.seconds',
        untested: [
          'answers.lease.token.lowered answers.retryAt.stuck answers.role.stuck',
          'answers.warnings.list-capped caches shares takes.request.account.{numeric,terminated}',
          'takes.request.fingerprint.nearly takes.request.key.{composed,latin,terminated}',
          'takes.request.limits.publications.count.{capped,stuck}',
          'takes.request.limits.publications.window.stuck takes.request.limits.sites.capped',
          'takes.request.sha256 takes.request.token.lowered',
        ],
      },
    },
    renew: {
      takes: { lease: LEASE, until: 'instant' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'held' } },
      caught: {
        unreachable: '*',
        'renew-held': 'hurries idles takes',
        'renew-lost': 'takes.lease.token.lowered',
        untested: [
          'answers.kind.stuck caches shares takes.lease.account.{cut,stuck}',
          'takes.lease.key.{cut,stuck} takes.lease.token.{ended,stuck}',
        ],
      },
    },
    release: {
      takes: { lease: LEASE },
      early: { value: undefined },
      caught: {
        unreachable: '*',
        'release-frees': 'hurries idles takes.lease',
        'release-only-own': 'takes.lease.token.lowered',
        untested: [
          'caches shares takes.lease.account.{cut,stuck} takes.lease.key.{cut,stuck}',
          'takes.lease.token.ended',
        ],
      },
    },
    commit: {
      takes: { publication: COMMIT, lease: LEASE, events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'committed' } },
      caught: {
        unreachable: '*',
        'commit-lease-lost': 'answers.kind.stuck takes.lease.token.lowered',
        'commit-by-token': [
          'hurries idles takes.lease.key.{lost,raised} takes.lease.token.cut',
          'takes.publication.role.id.lost',
        ],
        'commit-rate': [
          'shares takes.publication.limits.publications.count.{fewer,more}',
          'takes.publication.limits.publications.window.{capped,more} takes.publication.limits.sites.more',
        ],
        'load-newest': 'takes',
        'commit-quota':
          'takes.publication.limits.bytes.fewer takes.publication.limits.sites.fewer takes.publication.now',
        'commit-again': 'takes.publication.manifest',
        'commit-whole': 'takes.publication.manifest.stuck',
        'reserve-complete': 'takes.publication.warnings',
        'commit-large': 'takes.publication.warnings.list-capped',
        untested: [
          'caches takes.events takes.publication.credential takes.publication.limits takes.publication.now.seconds',
          'takes.publication.role.archiveBytes.wrapped takes.publication.role.deletedAt.stuck',
          'takes.publication.role.sha256.raised takes.publication.role.title.{numeric,terminated}',
        ],
      },
    },
    load: {
      takes: { id: 'uuid', signal: 'signal' },
      answers: { value: ROLE, version: 'count', isHidden: 'flag', accountGeneration: 'count' },
      early: { value: undefined },
      caught: {
        'load-newest': '*',
        'save-stores': 'answers.version.stuck',
        unreachable: 'coversUp isCurt isRaw misnames',
        'load-aborted': 'isDeaf wrapsAborts',
        'lets-go': 'listens',
        'save-versions': 'answers.value.id.cut',
        untested: [
          'answers.accountGeneration.{capped,stuck} answers.isHidden answers.value.archiveBytes.wrapped',
          'answers.value.deletedAt.stuck answers.value.sha256.raised',
          'answers.value.title.{numeric,terminated} answers.version.capped shares',
        ],
      },
    },
    save: {
      takes: { role: ROLE, loadedAt: 'count', events: EVENTS, authority: 'choice', credential: CREDENTIAL },
      answers: { kind: 'choice' },
      early: { value: { kind: 'saved' } },
      caught: {
        unreachable: '*',
        'save-reports-a-lost-race': 'answers.kind.stuck',
        'save-stores': 'hurries idles repeats takes.loadedAt',
        'load-newest': 'takes.role',
        untested: [
          'caches shares takes takes.loadedAt.capped takes.role.archiveBytes.wrapped',
          'takes.role.deletedAt.stuck takes.role.sha256.raised takes.role.title.{numeric,terminated}',
        ],
      },
    },
    list: {
      takes: { query: ROLE_QUERY },
      answers: { items: [ROLE], next: { rank: 'size', id: 'uuid' } },
      early: { value: { items: [], next: undefined } },
      caught: {
        unreachable: '*',
        'list-order': [
          'answers takes.query.account.{lowered,trimmed} takes.query.after.id',
          'takes.query.search.{lost,raised}',
        ],
        'list-key': [
          'answers.items.deletedAt answers.items.pinned.lowered hurries idles',
          'takes.query.account.{lost,raised,stuck}',
          'takes.query.idempotencyKey.{lost,lowered,raised,stuck,trimmed}',
        ],
        'list-search': 'answers.items.title.{composed,cut,latin,quoted} takes.query.search',
        'same-question': 'caches',
        'list-state': 'takes.query',
        'list-sorted': 'takes.query.order',
        'list-search-state': 'takes.query.search.stuck',
        'list-pages': 'takes.query.limit.more',
        untested: [
          'answers.items.account.{cut,stuck} answers.items.archiveBytes.wrapped',
          'answers.items.deletedAt.{seconds,stuck} answers.items.expiresAt.{seconds,stuck}',
          'answers.items.fileCount.{capped,stuck} answers.items.generation.{capped,stuck}',
          'answers.items.idempotencyKey.cut answers.items.{list-capped,passwordHash}',
          'answers.items.originalFilename.stuck answers.items.publishedAt.seconds',
          'answers.items.sha256.raised answers.items.size.wrapped',
          'answers.items.title.{numeric,terminated,trimmed} answers.next.id.cut shares',
          'takes.query.{account,idempotencyKey} takes.query.after.id.cut takes.query.limit.capped',
          'takes.query.search.{composed,lowered,numeric}',
        ],
      },
    },
    loadManifest: {
      takes: { archive: 'uuid', signal: 'signal' },
      answers: 'word',
      early: { value: undefined },
      caught: {
        'manifest-aborted': '*',
        'manifest-text': 'answers takes.archive.stuck',
        untested: 'caches shares',
      },
    },
    claimForCleanup: {
      takes: { request: CLEANUP },
      answers: [TASK],
      early: { value: [] },
      caught: {
        'claim-once': '* repeats',
        'claim-ended': 'answers.archive.stuck takes.request.endedBefore.later',
        'settle-lost': 'answers.failures hurries',
        'claim-order': 'answers.list-reversed takes.request.limit.fewer',
        unreachable: 'coversUp isCurt isRaw misnames',
        untested: [
          'answers.account.{cut,stuck} answers.failures.capped answers.list-capped answers.token.lowered',
          'caches takes.request.limit.capped takes.request.token.lowered',
        ],
      },
    },
    settleCleanup: {
      takes: { task: TASK, outcome: { kind: 'choice', retryAt: 'instant' }, events: EVENTS },
      early: { value: undefined },
      caught: {
        unreachable: '*',
        'settle-lost': 'hurries idles takes.outcome takes.task.token',
        'settle-failed': 'takes.outcome.retryAt.seconds takes.task.token.ended',
        'settle-removed': 'takes.task.role',
        untested: 'caches shares takes',
      },
    },
    countForCleanup: {
      takes: { request: CLEANUP_COUNT },
      answers: { archives: 'count', reservations: 'count' },
      early: { value: { archives: 0, reservations: 0 } },
      caught: {
        'count-for-cleanup': '*',
        many: 'answers.archives.capped',
        unreachable: 'coversUp isCurt isRaw misnames',
        untested: [
          'answers.reservations.{capped,stuck} shares',
          'takes.request.begunBefore.{earlier,seconds,stuck} takes.request.endedBefore.stuck',
          'takes.request.now.later',
        ],
      },
    },
    whichAreNamed: {
      takes: { ids: ['uuid'] },
      answers: ['uuid'],
      early: { value: new Set() },
      caught: {
        unreachable: '*',
        named: 'answers hurries idles takes.ids',
        untested: [
          'answers.{list-capped,list-reversed} caches shares',
          'takes.ids.{list-reversed,list-shortened}',
        ],
      },
    },
    listArchives: {
      takes: { after: 'uuid', limit: 'count' },
      answers: ['uuid'],
      early: { value: [] },
      caught: {
        unreachable: '*',
        'archives-walk': 'answers hurries idles takes',
        untested: 'answers.{list-capped,list-first} caches shares takes.limit.capped',
      },
    },
    purge: {
      takes: { begunBefore: 'instant', limit: 'count' },
      answers: 'count',
      early: { value: 0 },
      caught: {
        'purge-old': '* repeats',
        unreachable: 'coversUp isCurt isRaw misnames',
        'purge-loses-lease': 'hurries',
        'purge-many': 'answers.fewer',
        untested: 'answers.capped shares takes.limit.capped',
      },
    },
    loadComparison: {
      takes: {},
      answers: { value: COMPARISON, version: 'count' },
      early: { value: undefined },
      caught: {
        unreachable: '*',
        'comparison-newest': 'answers caches',
        'comparison-lost-race': 'hurries idles',
        untested: [
          'answers.value.keptAt.seconds answers.value.missing.list-capped',
          'answers.value.orphans.list-capped answers.value.unnamed.capped answers.value.upTo.stuck',
          'answers.version.capped shares',
        ],
      },
    },
    keepComparison: {
      takes: { comparison: COMPARISON, loadedAt: 'count' },
      answers: { kind: 'choice', version: 'count' },
      early: { value: { kind: 'conflict' } },
      caught: {
        unreachable: '*',
        'comparison-lost-race': 'answers hurries idles repeats',
        'comparison-race': 'shares',
        'comparison-newest': 'takes',
        untested: [
          'answers.version.capped caches takes.comparison.keptAt.seconds',
          'takes.comparison.missing.list-capped takes.comparison.orphans.list-capped',
          'takes.comparison.unnamed.capped takes.comparison.upTo.stuck takes.loadedAt.capped',
        ],
      },
    },
  },
  confusions: {
    'reserve-free': 'account key',
    'reserve-mismatch': 'fingerprint',
    'list-key': 'idempotencyKey.{lowered,raised,trimmed} sha256',
    'list-search': 'search title',
    'commit-lease-lost': 'token',
    untested: [
      '* account.{numeric,quoted,terminated} fingerprint.nearly key.{composed,latin,quoted,terminated}',
      'search.{composed,lowered,numeric,quoted} sha256.raised',
      'title.{numeric,quoted,terminated,trimmed} token.ended',
    ],
  },
};
