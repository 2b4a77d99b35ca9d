/** The id of the sandbox's one user, who owns the bill and the deliveries: a UUID. */
export const userId = '5e1f3c52-0b7d-4a86-a9d4-2f6c8e0b7a11';
/** The user's email address. */
export const userEmail = 'billing@example.com';
/** The currency of all amounts. */
export const currency = 'USD';
