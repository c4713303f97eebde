const opened: (() => Promise<void>)[] = [];
let isTest = false;

beforeEach('a test begins to open things', () => {
  isTest = true;
});

afterEach('what a test opened is closed', async () => {
  isTest = false;
  for (const close of opened.splice(0).reverse()) await close();
});

/**
 * Makes a function that closes something once, however often it is called. It is called after the test that opens it;
 * an `after` hook must close what a `before` hook opens.
 */
export function closedAfterTest(close: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const once = (): Promise<void> => {
    closed ??= close();
    return closed;
  };
  if (isTest) opened.push(once);
  return once;
}
