// Imported before everything else, it shifts the clock of a process by CLOCK_SET_BY milliseconds, as on another machine.
// Timers and the uptime do not change.

const setBy = Number(process.env.CLOCK_SET_BY);
const now = Date.now.bind(Date);
const wrong = (): number => now() + setBy;

globalThis.Date = new Proxy(Date, {
  construct: (target, inputs) => Reflect.construct(target, inputs.length === 0 ? [wrong()] : inputs),
  get: (target, member) => (member === 'now' ? wrong : Reflect.get(target, member)),
});
