/** How far a look-up may go, and which way. */
export interface LookUpOptions {
  /** How many pages of a list may be looked through for rows that only the whole list can show. */
  readonly scanPages: number;
  /** Whether single rows are found through their lists, or asked for by the operations that some deployments offer. */
  readonly lookUp: 'list' | 'retrieve';
}
