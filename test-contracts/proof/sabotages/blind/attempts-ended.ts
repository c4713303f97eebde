import {
  type AttemptCounter,
  type AttemptTicket,
  before,
  Fault,
  type Instant,
  instant,
  seconds,
} from '@pinfold/core';
import { UNSETTLED_AT_MOST } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { counting, type Key, type OwnCounter, sound, type Try, type Window } from './own-counter.ts';

const { answers, keeps, hurries, coversUp, isRawIn, isCurtIn, misnames } = waysOf<AttemptCounter>();

const isRole = (key: Key): boolean => key.startsWith('role ');

const unsettled: Sabotages<AttemptCounter> = {
  'a try is under way for a millisecond more than 60 seconds': counting({
    isUnderWay: ({ begun, wrong }, now) => !wrong && begun >= before(now, UNSETTLED_AT_MOST),
  }),
  'a try is under way for a millisecond less than 60 seconds': counting({
    isUnderWay: ({ begun, wrong }, now) => !wrong && begun - 1 > before(now, UNSETTLED_AT_MOST),
  }),
  'a try is under way until it is settled': counting({ isUnderWay: ({ wrong }) => !wrong }),
  'the 60 seconds of a try are those of its window': counting({
    isUnderWay: ({ wrong }, now, { until, window }) =>
      !wrong && until - window > before(now, UNSETTLED_AT_MOST),
  }),
  'the 60 seconds of every try begin with the last one': counting({
    seen: ({ tries }, { now }) => {
      for (const tried of tries.values()) tried.begun = now;
    },
  }),
  'the 60 seconds are those of the clock on the wall': counting({
    isUnderWay: ({ begun, wrong }) => !wrong && begun > before(instant(Date.now()), UNSETTLED_AT_MOST),
  }),
  'a try that nobody settled is taken back': counting({
    seen: ({ tries }, { now }) => {
      for (const [ticket, tried] of tries) {
        if (isOld(tried, now)) tries.delete(ticket);
      }
    },
  }),
  'a try that was found to be old is settled for good': counting({
    seen: ({ tries }, { now }) => {
      for (const tried of tries.values()) {
        if (isOld(tried, now)) tried.wrong = true;
      }
    },
  }),
  'a try that nobody settled is wrong for its address alone': counting({
    isUnderWay: (tried, now, window, key) =>
      isRole(key) ? !tried.wrong : sound.isUnderWay(tried, now, window, key),
  }),
  'only the oldest try grows old': counting({
    isUnderWay: (tried, now, window, key) =>
      sound.isUnderWay(tried, now, window, key) || (!tried.wrong && [...window.tries.values()][0] !== tried),
  }),
};

const settling: Sabotages<AttemptCounter> = {
  'a try is settled for its address alone': counting({
    settle: (window, ticket, key) => {
      if (!isRole(key)) sound.settle(window, ticket, key);
    },
  }),
  'a try is settled for its role alone': counting({
    settle: (window, ticket, key) => {
      if (isRole(key)) sound.settle(window, ticket, key);
    },
  }),
  'settling counts a try that was forgiven': counting({
    settle: ({ tries }, ticket) => {
      tries.set(ticket, { begun: tries.get(ticket)?.begun ?? instant(0), wrong: true });
    },
  }),
  'settling makes any try of the window wrong': counting({
    settle: ({ tries }, ticket) => {
      const tried = tries.get(ticket) ?? [...tries.values()].find(({ wrong }) => !wrong);
      if (tried !== undefined) tried.wrong = true;
    },
  }),
  'settling again makes another try wrong': counting({
    settle: ({ tries }, ticket) => {
      const own = tries.get(ticket);
      const tried = own?.wrong ? [...tries.values()].find(({ wrong }) => !wrong) : own;
      if (tried !== undefined) tried.wrong = true;
    },
  }),
  'settling again counts once more': counting({
    settle: ({ tries }, ticket) => {
      const tried = tries.get(ticket);
      if (tried?.wrong) tries.set(`${ticket}, again` as AttemptTicket, tried);
      else if (tried !== undefined) tried.wrong = true;
    },
  }),
  'a ticket says its address before the last colon': counting(
    { ticket: ({ role, address }, number) => `${role}:${address}:${number}` },
    (own) => ({
      settle: async (ticket) => {
        const [, , number, more] = ticket.split(':');
        if (number !== undefined && more === undefined) await own.settle(ticket);
        else await own.settle('' as AttemptTicket);
      },
    }),
  ),
  'only the process that began a try settles it': counting({}, (own) => {
    const begun = new Set<AttemptTicket>();
    return {
      begin: async (attempt) => {
        const outcome = await own.begin(attempt);
        if (outcome.kind === 'admitted') begun.add(outcome.ticket);
        return outcome;
      },
      settle: async (ticket) => own.settle(begun.has(ticket) ? ticket : ('' as AttemptTicket)),
    };
  }),
  'settling answers before it is written': hurries('settle', undefined),
  'settling is written from time to time': counting({}, (own) => ({
    settle: async (ticket) => {
      await own.countEnded(instant(0));
      void turns(5).then(() => own.settle(ticket));
    },
  })),
};

const forgiving: Sabotages<AttemptCounter> = {
  'a try is forgiven for its address alone': counting({
    forgive: (window, ticket, key) => {
      if (!isRole(key)) sound.forgive(window, ticket, key);
    },
  }),
  'a try is forgiven for its role alone': counting({
    forgive: (window, ticket, key) => {
      if (isRole(key)) sound.forgive(window, ticket, key);
    },
  }),
  'a settled try is forgiven': counting({ forgive: ({ tries }, ticket) => void tries.delete(ticket) }),
  'forgiving takes any try back in a window opened since': counting({
    forgive: ({ tries }, ticket) => {
      const [first] = [...tries].filter(([, { wrong }]) => !wrong);
      if (!tries.has(ticket) && first !== undefined) tries.delete(first[0]);
      else if (tries.get(ticket)?.wrong === false) tries.delete(ticket);
    },
  }),
  'forgiving ends with the address when its window ended': counting({}, (own) => ({
    forgive: (ticket) => own.forgive(both(own, ticket) ? ticket : none),
  })),
  'forgiving passes over the address when the role counts it no more': counting({}, (own) => ({
    forgive: (ticket) => {
      const role = own.windowsOf(ticket).find(([key]) => isRole(key));
      return own.forgive(role?.[1].tries.has(ticket) ? ticket : none);
    },
  })),
  'a window whose tries were all forgiven stays until its end': counting({ goes: () => false }),
  'the window of a role stays when its tries were all forgiven': counting({
    goes: (window, key) => !isRole(key) && sound.goes(window, key),
  }),
  'the window of an address stays when its tries were all forgiven': counting({
    goes: (window, key) => isRole(key) && sound.goes(window, key),
  }),
  'a right password takes back all that its address tried': counting({ goes: (_, key) => !isRole(key) }),
  'a right password takes back all that was tried under way': counting({
    goes: ({ tries }) => [...tries.values()].every(({ wrong }) => wrong),
  }),
  'the window of an address goes with that of its role': counting({}, (own) => ({
    forgive: async (ticket) => {
      const windows = own.windowsOf(ticket);
      await own.forgive(ticket);
      if (windows.some(([key, { tries }]) => !isRole(key) && tries.size === 0)) {
        for (const [key] of windows) own.kept.windows.delete(key);
      }
    },
  })),
  'forgiving answers before it is written': hurries('forgive', undefined),
};

const dropping: Sabotages<AttemptCounter> = {
  'a window has ended only after its end': counting({ hasEnded: ({ until }, by) => until < by }),
  'only windows without a try under way are dropped': counting({
    hasEnded: ({ until, tries }, by) => until <= by && [...tries.values()].every(({ wrong }) => wrong),
  }),
  'a window ends for its cleaning a minute later': counting({
    hasEnded: ({ until }, by) => until + seconds(60) <= by,
  }),
  'windows of addresses alone are dropped': counting({
    hasEnded: ({ until }, by, key) => until <= by && !isRole(key),
  }),
  'a window is dropped by the beginning of its last try': counting({
    hasEnded: ({ tries, window }, by) =>
      Math.max(...[...tries.values()].map(({ begun }) => begun)) + window <= by,
  }),
  'it drops as many windows of roles as the limit, and of addresses': counting({}, (own) => ({
    purge: async (by, limit) => {
      const ended = (await own.countEnded(by)) > 0 ? own.ended(by) : [];
      const gone = [true, false].flatMap((roles) =>
        ended.filter((key) => isRole(key) === roles).slice(0, limit),
      );
      for (const key of gone) own.kept.windows.delete(key);
      return gone.length;
    },
  })),
  'it answers the limit, however much it dropped': answers('purge', (_, __, limit) => limit),
  'it drops a thousand at most': counting({}, (own) => ({
    purge: (by, limit) => own.purge(by, Math.min(limit, 1_000)),
  })),
  'it drops one less than the limit': counting({}, (own) => ({
    purge: (by, limit) => own.purge(by, limit - 1),
  })),
  'the windows of all addresses go with that of their role': counting({}, (own) => ({
    purge: async (by, limit) => {
      const roles = own.ended(by).slice(0, limit).filter(isRole);
      const gone = await own.purge(by, limit);
      for (const key of [...own.kept.windows.keys()]) {
        if (roles.some((role) => key.includes(role.slice('role '.length)))) own.kept.windows.delete(key);
      }
      return gone;
    },
  })),
  'dropping answers before it is done': counting({}, (own) => ({
    purge: async (by, limit) => {
      const ended = Math.min(await own.countEnded(by), limit);
      void turns(5).then(() => own.purge(by, limit));
      return ended;
    },
  })),
  'it counts tries, not windows': counting({}, (own) => ({
    countEnded: async (by) => {
      await own.countEnded(by);
      return own.ended(by).reduce((sum, key) => sum + (own.kept.windows.get(key) as Window).tries.size, 0);
    },
  })),
  'it counts a thousand at most': answers('countEnded', (count) => Math.min(count, 1_000)),
  'it remembers what it counted': keeps('countEnded'),
  'it drops what it counts': counting({}, (own) => ({
    countEnded: (by) => own.purge(by, Number.MAX_SAFE_INTEGER),
  })),
  'it counts what ended before the instant': counting({}, (own) => ({
    countEnded: (by) => own.countEnded((by - 1) as Instant),
  })),
};

const failing: Sabotages<AttemptCounter> = {
  'it admits a try while the database does not answer': coversUp('begin', {
    kind: 'admitted',
    ticket: 'none' as AttemptTicket,
  }),
  'it says busy while the database does not answer': coversUp('begin', { kind: 'busy' }),
  'settling is given up while the database does not answer': coversUp('settle', undefined),
  'forgiving lets out what the database said': isRawIn('forgive'),
  'dropping does not say what failed': isCurtIn('purge'),
  'counting says that the storage failed': misnames('countEnded', 'storage_unavailable'),
  'its faults are only like faults': () => (store) => ({
    begin: (attempt) =>
      store.begin(attempt).catch((error: unknown) => {
        if (!(error instanceof Fault)) throw error;
        const { code, message, cause } = error;
        throw Object.assign(new Error(message, { cause }), { name: 'Fault', code });
      }),
  }),
};

const none = '' as AttemptTicket;

function isOld({ begun, wrong }: Try, now: Instant): boolean {
  return !wrong && begun <= before(now, UNSETTLED_AT_MOST);
}

function both(own: OwnCounter, ticket: AttemptTicket): boolean {
  const windows = own.windowsOf(ticket);
  return windows.length === 2 && windows.every(([, { tries }]) => tries.has(ticket));
}

export const blindAttemptsEnded: Sabotages<AttemptCounter> = {
  ...unsettled,
  ...settling,
  ...forgiving,
  ...dropping,
  ...failing,
};
