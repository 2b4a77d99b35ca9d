/** Lines that every document may have, and lines per allowed token above that: comments are no tokens that the parser counts. */
export const documentLines = { least: 1_000, perToken: 1 } as const;

/** Bytes of one file of trusted documents. Manifests of thousands of them have a few million. */
export const operationFileBytes = 67_108_864;

/** Characters of a name or a number in a document. Errors repeat names, one of them for each operation. */
export const nameLength = 1_024;

/** Characters of a label of `@defer` or `@stream`, which each piece repeats. Those that Relay writes have about a hundred. */
export const labelLength = 200;

/** Repetitions of one field at one place, per allowed alias: an error at the field has as many locations. */
export const repetitionsPerAlias = 5;

/** Fields and values to validate, per allowed token: several operations may share fragments, and each is validated with all of them. */
export const workPerToken = 2;

/** Fields that are compared to find two that cannot be merged. No document within the other limits comes near. */
export const comparedFields = 200_000;

/** Fields of objects that are read to measure a selection of introspection. What tools ask for takes four thousand. */
export const introspectionReads = 15_000;

/**
 * Characters of code of one compiled operation. One of sixty fields has some six thousand; where fragments are spread again and
 * again there is no end to it.
 */
export const planCode = 131_072;

/** Variables in the `@skip` and `@include` of a compiled operation: each combination of their values is compiled for itself. */
export const planSwitches = 4;

/** Bytes of memory that cached documents take: some thousand documents of thirty fields. */
export const documentCacheBytes = 33_554_432;

/** Bytes of memory that cached programs of compiled operations take. All caches together take 64 MiB. */
export const programCacheBytes = 25_165_824;
