/** The name under which schedulers give their signs of life, beside the workers' kinds. */
export const schedulerSign = 'scheduler';
