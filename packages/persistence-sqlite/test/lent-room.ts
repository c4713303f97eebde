/** A reserve that gives a database room while it is released: `setRoom` sets how many pages the database may have. */
export function lentRoom(setRoom: (pages: number) => unknown) {
  let lent = 0;
  return {
    /** How often it was released. */
    lent: () => lent,
    reserve: {
      refill: () => {},
      lend: <Result>(task: () => Result): Result => {
        lent += 1;
        setRoom(1_000_000);
        try {
          return task();
        } finally {
          setRoom(1);
        }
      },
    },
  };
}
