/** A reserve that gives a database room while it is released: `setRoom` sets how many pages the database may have. */
export function releasedRoom(setRoom: (pages: number) => unknown) {
  let released = 0;
  return {
    /** How often it was released. */
    released: () => released,
    reserve: {
      refill: () => {},
      releaseDuring: <Result>(task: () => Result): Result => {
        released += 1;
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
