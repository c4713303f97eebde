import type { DayOfViews, ViewStore } from '@pinfold/core';
import type { Statements } from '../engine/sqlite-connection.ts';

const ADD = `
  INSERT INTO views (role, day, views, refused_passwords) VALUES (@role, @day, @views, @refusedPasswords)
  ON CONFLICT (role, day) DO UPDATE
  SET views = views + excluded.views, refused_passwords = refused_passwords + excluded.refused_passwords`;
const LIST = `
  SELECT day, views, refused_passwords AS refusedPasswords FROM views
  WHERE role = ? AND day >= ? ORDER BY day DESC`;
const DROP = `
  DELETE FROM views WHERE (role, day) IN (SELECT role, day FROM views WHERE day < ? ORDER BY day LIMIT ?)`;

export function sqliteViewStore(connection: Statements): ViewStore {
  return {
    add: async (counted) => {
      if (counted.length === 0) return;
      await connection.write((prepare) => {
        for (const days of counted) prepare(ADD).run(days);
      });
    },
    list: (role, from) => connection.read((prepare) => prepare<DayOfViews>(LIST).all(role, from)),
    drop: (before, limit) =>
      connection.writeFromReserve((prepare) => prepare(DROP).run(before, limit).changes),
  };
}
