/** A port with some of its methods replaced; all others work as before. */
export function spoil<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      if (name in methods) return methods[name as keyof Port];
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
