export { bindContract, type Runner } from './bind-contract.ts';
export {
  type Clause,
  type Contract,
  type ContractOptions,
  checkClause,
  clausesOf,
  type Subject,
} from './contract.ts';
