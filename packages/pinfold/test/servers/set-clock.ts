// Imported before all else, it sets a process's clock by CLOCK_SET_BY milliseconds, as that of a machine of its own.
// Timers and the uptime go on as they are.

const setBy = Number(process.env.CLOCK_SET_BY);
const now = Date.now.bind(Date);
const wrong = (): number => now() + setBy;

globalThis.Date = new Proxy(Date, {
  construct: (target, inputs) => Reflect.construct(target, inputs.length === 0 ? [wrong()] : inputs),
  get: (target, member) => (member === 'now' ? wrong : Reflect.get(target, member)),
});
