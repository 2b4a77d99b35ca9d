import type { ServiceLineFragment } from '../generated/documents.ts';

/** A summary's line of either shape. */
export type ServiceLine = ServiceLineFragment;
/** One that sets new against existing. */
export type ComparativeLine = Extract<ServiceLine, { readonly __typename: 'ComparativeLine' }>;
/** One with a quantity and an amount. */
export type SimpleLine = Extract<ServiceLine, { readonly __typename: 'SimpleLine' }>;
