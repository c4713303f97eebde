/** Opens something before each test of a suite; the result has the members of the object opened for the running test. */
export function ofEachTest<Opened extends object>(open: () => Opened | Promise<Opened>): Opened {
  let opened: Opened | undefined;
  beforeEach(async () => {
    opened = await open();
  });
  return new Proxy({} as Opened, { get: (_, member) => Reflect.get(opened ?? {}, member) });
}
