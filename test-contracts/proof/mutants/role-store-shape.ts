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

const { id, account, title, expiresAt, pinned, deletedAt, passwordHash, generation } = ROLE;
/** What a save looks at of a role: its other members never change. */
const SAVED = { id, account, title, expiresAt, pinned, deletedAt, passwordHash, generation };

export const roleStoreShape: PortShape<RoleStore> = {
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
      clauses: [
        'unreachable reserve-quota reserve-rate reserve-free reserve-lapsed reserve-complete',
        'reserve-costless reserve-mismatch reserve-in-progress',
      ],
      untested: [
        'answers.lease.token.lowered answers.retryAt.stuck answers.role.stuck caches shares',
        'takes.request.account.numeric takes.request.fingerprint.nearly',
        'takes.request.key.{composed,latin} takes.request.limits.publications.count.stuck',
        'takes.request.limits.publications.window.stuck takes.request.sha256',
        'takes.request.token.lowered',
      ],
      tested: 'repeats takes.request.limits.publications.window.capped',
    },
    renew: {
      takes: { lease: LEASE, until: 'instant' },
      answers: { kind: 'choice' },
      early: { value: { kind: 'held' } },
      clauses: 'unreachable renew-held renew-lost',
      untested: [
        'answers.kind caches shares takes.lease.account.{cut,stuck} takes.lease.key.{cut,stuck}',
        'takes.lease.token.{ended,stuck}',
      ],
    },
    release: {
      takes: { lease: LEASE },
      clauses: 'unreachable release-frees release-only-own',
      untested: [
        'caches shares takes.lease.account.{cut,stuck} takes.lease.key.{cut,stuck}',
        'takes.lease.token.ended',
      ],
    },
    commit: {
      takes: { publication: COMMIT, lease: LEASE, events: EVENTS },
      answers: { kind: 'choice' },
      early: { value: { kind: 'committed' } },
      clauses: [
        'unreachable load-newest commit-quota commit-by-token commit-rate reserve-complete',
        'commit-again commit-lease-lost commit-whole commit-large',
      ],
      untested: [
        'caches takes.events takes.publication.credential takes.publication.limits.bytes',
        'takes.publication.limits.publications.count.stuck',
        'takes.publication.limits.publications.window takes.publication.limits.sites.stuck',
        'takes.publication.now.seconds takes.publication.role.archiveBytes.wrapped',
        'takes.publication.role.deletedAt.stuck takes.publication.role.sha256.raised',
        'takes.publication.role.title.numeric',
      ],
      tested: [
        'takes.publication.limits.bytes.fewer',
        'takes.publication.limits.publications.window.{capped,more}',
        'takes.publication.role.fileCount.capped takes.publication.role.generation.capped',
        'takes.publication.warnings.list-capped',
      ],
    },
    load: {
      takes: { id: 'uuid', signal: 'signal' },
      answers: { value: ROLE, version: 'count', isHidden: 'flag', accountGeneration: 'count' },
      clauses: 'unreachable load-newest save-versions save-stores lets-go load-aborted',
      untested: [
        'answers.accountGeneration.stuck answers.isHidden answers.value.archiveBytes.wrapped',
        'answers.value.deletedAt.stuck answers.value.sha256.raised answers.value.title.numeric shares',
      ],
      tested: 'answers.value.fileCount.capped answers.value.generation.capped',
    },
    save: {
      takes: { role: SAVED, loadedAt: 'count', events: EVENTS, authority: 'choice', credential: CREDENTIAL },
      answers: { kind: 'choice' },
      early: { value: { kind: 'saved' } },
      clauses: 'unreachable load-newest save-stores save-reports-a-lost-race',
      untested: 'caches shares takes takes.role.deletedAt.stuck takes.role.title.numeric',
      tested: 'repeats takes.role.generation.capped takes.{loadedAt,role}',
    },
    list: {
      takes: { query: ROLE_QUERY },
      answers: { items: [ROLE], next: { rank: 'size', id: 'uuid' } },
      early: { value: { items: [], next: undefined } },
      clauses: [
        'unreachable list-order list-state list-key list-search same-question list-search-state',
        'list-pages list-sorted',
      ],
      untested: [
        'answers.items.account.{cut,stuck} answers.items.archiveBytes.wrapped',
        'answers.items.deletedAt.{seconds,stuck} answers.items.expiresAt.{seconds,stuck}',
        'answers.items.fileCount.stuck answers.items.generation.stuck',
        'answers.items.idempotencyKey.cut answers.items.originalFilename.stuck',
        'answers.items.passwordHash answers.items.publishedAt.seconds answers.items.sha256.raised',
        'answers.items.size.wrapped answers.items.title.{numeric,trimmed} answers.next.id.cut shares',
        'takes.query.account.{composed,cut,latin,numeric,quoted} takes.query.after.id.cut',
        'takes.query.idempotencyKey.{composed,cut,latin,numeric,quoted}',
        'takes.query.search.{composed,lowered,numeric}',
      ],
      tested: 'takes.query.search.terminated',
    },
    loadManifest: {
      takes: { archive: 'uuid', signal: 'signal' },
      answers: 'word',
      clauses: 'manifest-aborted manifest-text',
      untested: 'caches shares',
    },
    claimForCleanup: {
      takes: { request: CLEANUP },
      answers: [TASK],
      clauses: 'unreachable claim-once settle-lost claim-ended claim-order',
      untested: ['answers.account.{cut,stuck} answers.token.lowered caches takes.request.token.lowered'],
      tested: 'repeats',
    },
    settleCleanup: {
      takes: { task: TASK, outcome: { kind: 'choice', retryAt: 'instant' }, events: EVENTS },
      clauses: 'unreachable settle-lost settle-removed settle-failed',
      untested: 'caches shares takes.{events,task}',
      tested: 'takes.task.{role,token}',
    },
    countForCleanup: {
      takes: { request: CLEANUP_COUNT },
      answers: { archives: 'count', reservations: 'count' },
      early: { value: { archives: 0, reservations: 0 } },
      clauses: 'unreachable count-for-cleanup many',
      untested: [
        'answers.reservations.stuck shares takes.request.begunBefore.{earlier,seconds,stuck}',
        'takes.request.endedBefore.stuck takes.request.now.later',
      ],
      tested: 'answers.archives.capped',
    },
    whichAreNamed: {
      takes: { ids: ['uuid'] },
      answers: ['uuid'],
      early: { value: new Set() },
      clauses: 'unreachable named',
      untested: 'answers.list-reversed caches shares takes.ids.{list-reversed,list-shortened}',
      tested: 'takes.ids.list-capped',
    },
    listArchives: {
      takes: { after: 'uuid', limit: 'count' },
      answers: ['uuid'],
      clauses: 'unreachable archives-walk',
      untested: 'answers.list-first caches shares',
    },
    purge: {
      takes: { begunBefore: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable purge-old purge-loses-lease purge-many',
      untested: 'shares',
      tested: 'repeats',
    },
    loadComparison: {
      answers: { value: COMPARISON, version: 'count' },
      clauses: 'unreachable comparison-newest comparison-lost-race',
      untested: 'answers.value.keptAt.seconds answers.value.upTo.stuck shares',
      tested: 'answers.value.compared.capped',
    },
    keepComparison: {
      takes: { comparison: COMPARISON, loadedAt: 'count' },
      answers: { kind: 'choice', version: 'count' },
      early: { value: { kind: 'conflict' } },
      clauses: 'unreachable comparison-newest comparison-lost-race comparison-race',
      untested: 'caches takes.comparison.keptAt.seconds takes.comparison.upTo.stuck',
      tested: 'repeats takes.comparison.compared.capped',
    },
  },
  confusions: {
    clauses: 'reserve-free list-search list-key reserve-mismatch commit-lease-lost',
    untested: [
      '* account.{numeric,quoted} key.{composed,latin,quoted} title.{numeric,quoted,trimmed}',
      'token.ended',
    ],
    tested: [
      'account fingerprint.{cut,raised} idempotencyKey.{lowered,raised,trimmed} key',
      'search.{cut,latin,raised,terminated,trimmed} sha256.{cut,nearly} title token',
    ],
  },
};
