/** How rows are looked up, and how many calls that may take. */
export interface LookUpOptions {
  /** How many pages of a list a search for rows may read. */
  readonly scanPages: number;
  /** `list`: single rows are found through their lists; `retrieve`: by the endpoints that some deployments offer for one row. */
  readonly lookUp: 'list' | 'retrieve';
}
