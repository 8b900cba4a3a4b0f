; SPDX-License-Identifier: GPL-2.0-or-later
; For Chez Scheme, which compiles each expression before it runs it, and collects garbage,
; its own code included.

(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

(define (sorted n)
  (let ((v (make-vector n)))
    (do ((i 0 (+ i 1))) ((= i n)) (vector-set! v i (modulo (* i 7919) 1009)))
    (vector-sort! < v)
    (vector-ref v (quotient n 2))))

(do ((i 0 (+ i 1))) ((= i 10))
  (display ((eval `(lambda (x) (+ x ,i (* x ,i)))) i))
  (newline)
  (collect))
(display (list (fib 15) (sorted 500)))
(newline)
