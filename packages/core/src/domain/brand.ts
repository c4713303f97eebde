declare const brand: unique symbol;

/** A value that was proved once: `Name` is the receipt, and only the function that proves it makes one. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };
