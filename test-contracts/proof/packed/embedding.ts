// What an embedding team writes, compiled and run against the packed packages in an empty project.
import * as core from '@pinfold/core';

console.log(`@pinfold/core exports ${Object.keys(core).length} names`);
