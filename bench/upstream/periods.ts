/** Which report a period stands for, by its first day; any other is small. */
export const periods = { large: '2026-10-01', small: '2026-09-01', huge: '2026-08-01' } as const;
