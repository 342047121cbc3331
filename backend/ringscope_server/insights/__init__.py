"""What is wrong with a running job, found from what its ranks tell: who is slow, late, wrong or stands still."""
