-- What a mean and its interval are made of: sums over clusters, each with its n and its total.
       SUM(asked) AS asked,
       SUM(n) AS n,
       FSUM(total) AS total,
       COUNT(CASE WHEN n > 0 THEN 1 END) AS clusters,
       SUM(CAST(n AS DOUBLE) * n) AS squares_n,
       FSUM(total * total) AS squares_y,
       FSUM(n * total) AS products,
       MIN(lowest) AS lowest,
       MAX(highest) AS highest
