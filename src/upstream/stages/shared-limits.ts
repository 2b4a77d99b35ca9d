/** The used-up rate limits of callers that other replicas have met. */
export interface SharedLimits {
  /** When the limit of a caller is reset, in milliseconds since 1970; 0 where no replica has met one. */
  resetOf(caller: LimitedCaller): number;
  /** Tells the others that a caller's limit is used up until then. Does not wait, and never fails. */
  tell(caller: LimitedCaller, reset: number): void;
}

interface LimitedCaller {
  readonly key: string;
  readonly identity: string;
}
