/** Chunks of a body that are copied together where they are small: as many take fifty kilobytes beside their bytes. */
export const chunksTogether = 256;

/** Bytes of a chunk that is small: to copy that many costs less than to keep them apart. The mean of `chunksTogether` chunks counts. */
export const smallChunk = 1_024;
