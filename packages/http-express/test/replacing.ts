/** A port some of whose methods are others; all else reaches the port itself. */
export function replacing<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
