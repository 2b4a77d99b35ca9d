/** The sandbox's one user, a UUID: who owns the bill and the deliveries. */
export const USER_ID = '5e1f3c52-0b7d-4a86-a9d4-2f6c8e0b7a11';
/** The user's address. */
export const USER_EMAIL = 'billing@example.com';
/** The currency of all amounts. */
export const CURRENCY = 'USD';
