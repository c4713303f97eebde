import { type EventId, type Ids, instant, type RoleId, type Token } from '@pinfold/core';
import { RandomIds } from '@pinfold/platform-node';
import { idsContract, type Subject } from '@pinfold/test-contracts';
import { saboteursOf } from './one-for-each.ts';
import type { Sabotage } from './sabotage.ts';

const soundSubject = async (): Promise<Subject<Ids>> => ({
  port: new RandomIds(),
  peer: async () => new RandomIds(),
  dispose: async () => {},
});

const saboteur = saboteursOf<Ids, Subject<Ids>>(soundSubject);

export const idsSabotage: Sabotage<Ids, Subject<Ids>> = {
  contract: idsContract,
  sound: () => soundSubject,
  saboteurs: [
    saboteur('ids/role', 'a UUID is written in upper case', () => (sound) => ({
      role: () => sound.role().toUpperCase() as RoleId,
    })),
    saboteur('ids/archive', 'an instant is rounded to the second', () => (sound) => ({
      archive: (createdAt) => sound.archive(instant(createdAt - (createdAt % 1_000))),
    })),
    saboteur('ids/event', 'an event is named by its count', () => () => {
      let count = 0;
      return {
        event: () => {
          count += 1;
          return String(count) as EventId;
        },
      };
    }),
    saboteur('ids/token', 'every node counts from one', () => () => {
      let count = 0;
      return {
        token: () => {
          count += 1;
          return String(count) as Token;
        },
      };
    }),
  ],
};
