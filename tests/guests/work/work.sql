-- SPDX-License-Identifier: GPL-2.0-or-later
-- An in-memory SQLite load: inserts, indexes, joins, aggregates, updates, windows, text.
-- The shell sets :n, the number of sales. Values come from arithmetic on row numbers.

CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, credit INT);
CREATE TABLE item(id INTEGER PRIMARY KEY, label TEXT, price REAL);
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INT REFERENCES customer(id),
		  item INT REFERENCES item(id), quantity INT, day INT, note TEXT);

BEGIN;
WITH RECURSIVE seq(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM seq WHERE i < :n / 20 + 5)
INSERT INTO customer
SELECT i, printf('name%05d', (i * 7919) % 10007),
       substr('LyonOsloRomeKievBernLima', (i * 31 % 6) * 4 + 1, 4), (i * 104729) % 1000
FROM seq;
WITH RECURSIVE seq(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM seq WHERE i < 97)
INSERT INTO item
SELECT i, 'item-' || hex(i * 40503 % 65536), (i * 37 % 501) / 4.0 FROM seq;
WITH RECURSIVE seq(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM seq WHERE i < :n)
INSERT INTO sale
SELECT i, (i * 48271) % (:n / 20 + 5) + 1, (i * 69621) % 97 + 1, i * 13 % 9 + 1,
       (i * 40692) % 365,
       CASE WHEN i % 11 = 0 THEN 'urgent ' || i WHEN i % 3 THEN 'std' END
FROM seq;
COMMIT;

CREATE INDEX sale_customer ON sale(customer, day);
CREATE INDEX sale_item ON sale(item);
CREATE INDEX customer_city ON customer(city) WHERE credit > 100;
ANALYZE;

SELECT 'by city', city, count(*), sum(quantity), round(sum(quantity * price), 2)
FROM sale JOIN customer ON customer.id = sale.customer JOIN item ON item.id = sale.item
GROUP BY city ORDER BY city;

SELECT 'best items', label, total
FROM (SELECT item, sum(quantity) AS total FROM sale GROUP BY item) JOIN item ON item = id
ORDER BY total DESC, label LIMIT 5;

SELECT 'notes', count(*), max(note), min(length(note))
FROM sale WHERE note LIKE '%gent%7' OR note GLOB 'urgent*3';

SELECT 'running', id, day, total FROM (
	SELECT id, day,
	       sum(quantity) OVER (PARTITION BY customer ORDER BY day, id) AS total,
	       row_number() OVER (PARTITION BY customer ORDER BY day DESC, id) AS nth
	FROM sale)
WHERE nth = 1 ORDER BY total DESC, id LIMIT 5;

CREATE TRIGGER spent AFTER UPDATE OF quantity ON sale BEGIN
	UPDATE customer SET credit = credit - new.quantity WHERE id = new.customer;
END;
BEGIN;
UPDATE sale SET quantity = quantity + 1 WHERE day BETWEEN 100 AND 130;
DELETE FROM sale WHERE customer IN (SELECT id FROM customer WHERE credit < 20);
UPDATE customer SET name = upper(name) WHERE city = 'Oslo' AND credit > 100;
COMMIT;

SELECT 'after', count(*), sum(quantity), sum(day) FROM sale;
SELECT 'customers', sum(credit), count(DISTINCT name), max(name) FROM customer;
SELECT 'pairs', count(*) FROM customer a JOIN customer b ON a.city = b.city
WHERE a.id < b.id AND b.id < 60;
SELECT 'json', sum(json_extract(doc, '$.q[1]')) FROM (
	SELECT json_object('id', id, 'q', json_array(day, quantity)) AS doc FROM sale
	WHERE id % 5 = 0);
PRAGMA integrity_check;
